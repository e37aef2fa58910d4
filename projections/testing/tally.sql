create table tally (
  organization_id text primary key,
  commits integer not null
);
