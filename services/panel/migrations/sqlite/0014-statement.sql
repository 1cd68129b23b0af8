-- Keys that sign statements. Private parts are encrypted.
create table signing_key (
  kid         text    not null primary key,
  x           text    not null,
  sealed      text    not null,
  created_at  integer not null,
  active_from integer not null,
  retired_at  integer,
  not_after   integer
) strict, without rowid;

-- The signed statement of a run, made with its push and never changed: a DSSE envelope.
create table run_statement (
  owner    text    not null,
  run_id   text    not null,
  envelope text    not null,
  at       integer not null,
  primary key (owner, run_id)
) strict, without rowid;
