create table messages (
  organization_id text collate "C" not null,
  session_id text collate "C" not null,
  id text collate "C" not null,
  index integer not null,
  role text not null,
  prompt_id text,
  parts jsonb not null,
  finish text,
  failure jsonb,
  usage jsonb,
  cost double precision,
  at timestamptz(3) not null,
  primary key (organization_id, session_id, id)
);

create unique index messages_in_order on messages (organization_id, session_id, index);
