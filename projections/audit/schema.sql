create table audit (
  shard integer not null,
  sequence bigint not null,
  organization_id text collate "C" not null,
  aggregate text not null,
  aggregate_id text collate "C" not null,
  event_types text[] not null,
  actor jsonb not null,
  command_id text not null,
  causation_id text,
  correlation_id text not null,
  at timestamptz(3) not null,
  prev text not null,
  hash text not null,
  -- an organisation lives in one shard
  primary key (organization_id, sequence)
);

create index audit_of_aggregate on audit (aggregate_id, sequence desc);
