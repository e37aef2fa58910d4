-- Which read models stand in this schema, and in which version.
create table if not exists projection_models (
  name text primary key,
  version integer not null,
  checksum text not null,
  tables text[] not null
);

-- Up to which commit each shard of the log has been projected into each read model.
create table if not exists projection_progress (
  model text not null,
  shard integer not null,
  checkpoint bigint not null,
  -- names the tables that the rows are in: another one after they have been built anew
  build uuid not null default gen_random_uuid(),
  primary key (model, shard)
);

-- What the projector of each read model and shard last said of itself, for other processes to read.
create table if not exists projection_reports (
  model text not null,
  shard integer not null,
  state text not null,
  problem jsonb,
  -- where the model stood then: what was wrong there is over once its checkpoint has moved on
  checkpoint bigint not null,
  reported_at timestamptz(3) not null,
  primary key (model, shard)
);

-- Until 0.1, the read models of a shard had one checkpoint, which becomes that of each. Whoever wrote with
-- it comes before the lock, or after it and then finds nothing to write with.
do $$ begin
  if to_regclass(format('%I.projection_checkpoints', current_schema())) is not null then
    lock table projection_checkpoints in access exclusive mode;
    insert into projection_progress (model, shard, checkpoint)
      select name, shard, checkpoint from projection_models, projection_checkpoints;
    drop table projection_checkpoints;
    drop table if exists projection_conditions;
  end if;
end $$;
