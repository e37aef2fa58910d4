create table invocations (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  session_id text collate "C" not null,
  integration text not null,
  action text not null,
  params jsonb not null,
  risk text not null,
  mode text not null,
  mode_source text not null,
  rule_id text collate "C",
  drifted boolean not null,
  edited_params jsonb,
  status text collate "C" not null,
  resolved_by text,
  reason text,
  result jsonb,
  full_result jsonb,
  failure jsonb,
  expires_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (organization_id, id)
);

create index invocations_newest on invocations (organization_id, created_at desc, id desc);
create index invocations_newest_by_status
  on invocations (organization_id, status, created_at desc, id desc);
create index invocations_of_session
  on invocations (organization_id, session_id, created_at desc, id desc);
