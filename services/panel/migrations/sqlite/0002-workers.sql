-- Workers and where they are connected. Flags are 0 or 1; agents, errors, and what errands ask and answer are JSON.

-- `seen_at` and what follows are a worker's own figures, written now and then while it is connected.
create table worker (
  owner          text    not null,
  id             text    not null,
  name           text    not null,
  agents         text    not null,
  slots          integer not null check (slots > 0),
  isolation      text    not null,
  os             text    not null,
  version        text    not null,
  enabled        integer not null check (enabled in (0, 1)),
  embedded       integer not null check (embedded in (0, 1)),
  created_at     integer not null,
  seen_at        integer not null,
  rtt_ms         real,
  outbox_pending integer not null,
  disk_free_mb   integer,
  primary key (owner, id)
) strict, without rowid;
create index worker_seen on worker (seen_at);

-- One a worker: a newer one takes the place of the older.
create table connection (
  owner          text    not null,
  worker_id      text    not null,
  id             text    not null,
  node           text    not null,
  process        text,
  key_generation integer not null,
  opened_at      integer not null,
  primary key (owner, worker_id)
) strict, without rowid;
create index connection_node on connection (node);

create table node (
  id      text    not null primary key,
  beat_at integer not null
) strict, without rowid;

create table probe (
  owner      text    not null,
  worker_id  text    not null,
  cli        text    not null,
  model      text    not null,
  ok         integer not null check (ok in (0, 1)),
  latency_ms integer not null,
  error      text,
  checked_at integer not null,
  primary key (owner, worker_id, cli, model)
) strict, without rowid;

-- What workers have reported of their runs: said again, it is known.
create table report (
  owner  text    not null,
  run_id text    not null,
  epoch  integer not null,
  mid    text    not null,
  primary key (owner, run_id, epoch, mid)
) strict, without rowid;

-- What one node asks the node that a worker is connected to.
create table errand (
  owner     text    not null,
  id        text    not null,
  worker_id text    not null,
  asked     text    not null,
  answer    text,
  at        integer not null,
  primary key (owner, id)
) strict, without rowid;
create index errand_age on errand (at);

create index run_waiting on run (owner, priority, queued_at) where state = 'queued';
create index run_held on run (owner, worker_id) where state in ('leased', 'preparing', 'running', 'verifying');
create index run_cancel on run (cancel_requested_at)
  where cancel_requested_at is not null and state in ('leased', 'preparing', 'running', 'verifying');
create index account_suspended on account (owner) where status = 'suspended';
