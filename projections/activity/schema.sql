create table activity (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  active_ms bigint not null,
  answering jsonb,
  pull_requests text[] not null,
  primary key (organization_id, id)
);
