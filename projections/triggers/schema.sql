create table triggers (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  name text not null,
  provider text not null,
  filter jsonb not null,
  prompt text not null,
  repository jsonb,
  configuration_id text collate "C",
  connections jsonb,
  created_at timestamptz(3) not null,
  primary key (organization_id, id)
);
create index triggers_id on triggers (id);
