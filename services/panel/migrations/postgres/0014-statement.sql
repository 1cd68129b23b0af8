-- Keys that sign statements. Private parts are encrypted.
create table signing_key (
  kid         text    not null primary key,
  x           text    not null,
  sealed      text    not null,
  created_at  bigint  not null,
  active_from bigint  not null,
  retired_at  bigint,
  not_after   bigint
);

-- The signed statement of a run, made with its push and never changed: a DSSE envelope.
create table run_statement (
  owner    text    not null,
  run_id   text    not null,
  envelope text    not null,
  at       bigint  not null,
  primary key (owner, run_id)
);
