-- Heads of owners. Times are milliseconds since 1970, hashes are lower-case hex, `settings`, `routes` and `made` are JSON.
-- Head files lie beside the database, by head and SHA-256.

-- Rises with every change of an owner's heads. Whoever changes them takes this row first, so that changes of one owner come one by one.
create table head_owner (
  owner    text    not null primary key,
  revision integer not null check (revision > 0)
) strict, without rowid;

create table head_name (
  owner        text    not null,
  name         text    not null,
  last_version integer not null check (last_version > 0),
  primary key (owner, name)
) strict, without rowid;

create table head (
  owner               text    not null,
  id                  text    not null,
  name                text    not null,
  version             integer not null check (version > 0),
  state               text    not null check (state in
    ('training', 'live', 'ready', 'shadow', 'retired', 'rejected', 'failed')),
  reason              text,
  created_at          integer not null,
  trained_at          integer,
  training_ms         integer,
  settings            text    not null,
  routes              text    not null,
  trainer             text    not null,
  lease_until         integer not null,
  sha256              text    check (length(sha256) = 64),
  made                text,
  shadow_n            integer not null,
  shadow_agreed       integer not null,
  shadow_labelled     integer not null,
  shadow_live_correct integer not null,
  shadow_correct      integer not null,
  primary key (owner, id),
  unique (owner, name, version)
) strict;
create unique index head_live on head (owner, name) where state = 'live';
create index head_training on head (id, lease_until) where state = 'training';

-- Calls with an Idempotency-Key: hashes of key and payload, and what the call made.
create table head_once (
  owner      text    not null,
  operation  text    not null,
  key        text    not null,
  payload    text    not null,
  result     text    not null,
  expires_at integer not null,
  primary key (owner, operation, key)
) strict, without rowid;
create index head_once_end on head_once (expires_at);

-- `about` is the id of a head, or the name of a shipped expert, of which only figures are kept.
create table feedback (
  owner      text    not null,
  about      text    not null,
  id         text    not null,
  at         integer not null,
  state      text,
  context    text    not null,
  route      text,
  decided    text    not null,
  confidence real    not null,
  is_right   integer not null check (is_right in (0, 1)),
  request_id text,
  primary key (owner, about, id)
) strict;
create index feedback_age on feedback (at);
