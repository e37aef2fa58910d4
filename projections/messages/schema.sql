create table messages (
  organization_id text collate "C" not null,
  session_id text collate "C" not null,
  id text collate "C" not null,
  -- where the message first came in the log: it keeps this place in the transcript
  sequence bigint not null,
  event integer not null,
  role text not null,
  prompt_id text,
  author jsonb,
  parts jsonb not null,
  finish text,
  failure jsonb,
  usage jsonb,
  cost double precision,
  files_changed jsonb,
  at timestamptz(3) not null,
  primary key (organization_id, session_id, id)
);

create index messages_in_order on messages (session_id, sequence, event);
