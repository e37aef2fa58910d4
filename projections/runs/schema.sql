create table runs (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  trigger_id text collate "C" not null,
  dedup_key text not null,
  title text not null,
  session_id text collate "C",
  waiting_for jsonb not null,
  outcome text,
  summary text,
  completed_at timestamptz(3),
  created_at timestamptz(3) not null,
  primary key (organization_id, id)
);

create index runs_newest on runs (organization_id, created_at desc, id desc);
