create table sessions (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  title text not null,
  status text not null check (
    status in ('pending', 'starting', 'running', 'migrating', 'paused', 'stopped', 'failed')
  ),
  origin jsonb not null,
  kind text not null,
  configuration_id text collate "C",
  parent_id text collate "C",
  connections jsonb,
  excluded_connections jsonb not null,
  repository jsonb,
  model text not null,
  open_prompts text[] not null,
  failure jsonb,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (organization_id, id)
);

create index sessions_newest on sessions (organization_id, created_at desc, id desc);
