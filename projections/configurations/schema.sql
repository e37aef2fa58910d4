create table configurations (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  name text not null,
  repositories jsonb not null,
  service_commands jsonb not null,
  env_files jsonb,
  preview_ports jsonb not null,
  workspace_revision integer not null,
  setup jsonb not null,
  snapshot jsonb,
  created_by text collate "C" not null,
  archived boolean not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (organization_id, id)
);

create index configurations_newest on configurations (organization_id, created_at desc, id desc);
