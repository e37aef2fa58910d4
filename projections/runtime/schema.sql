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
