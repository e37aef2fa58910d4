-- Which read models stand in this schema, and in which version.
create table if not exists projection_models (
  name text primary key,
  version integer not null,
  checksum text not null,
  tables text[] not null
);

-- Up to which commit each shard of the log has been projected.
create table if not exists projection_checkpoints (
  shard integer primary key,
  checkpoint bigint not null,
  -- the read models that were written: a program with other ones must not go on from here
  models text not null
);

-- What the projector of each shard last said of itself, for other processes to read.
create table if not exists projection_conditions (
  shard integer primary key,
  state text not null,
  problem jsonb,
  -- where the shard stood then: what was wrong there is over once the checkpoint has moved on
  checkpoint bigint not null,
  reported_at timestamptz(3) not null
);
