-- Accounts, repos and runs. Times are milliseconds since 1970, hashes are lower-case hex SHA-256; settings, orders, results and scopes
-- are JSON. The owner leads every key, so that one store can become many. Secrets are hashed, or sealed where they must be read back.

-- `revision` rises with every change of the account: whoever changes anything of it takes this row first.
create table account (
  owner      text    not null primary key,
  email      text    not null unique,
  password   text    not null,
  plan       text    not null check (plan in ('free', 'pro', 'team')),
  status     text    not null check (status in ('active', 'suspended')),
  created_at integer not null,
  revision   integer not null check (revision > 0)
) strict, without rowid;

create table license_key (
  owner      text    not null primary key,
  hash       text    not null unique check (length(hash) = 64),
  sealed     text    not null,
  generation integer not null check (generation > 0),
  rotated_at integer
) strict, without rowid;

create table session (
  owner      text    not null,
  hash       text    not null unique check (length(hash) = 64),
  created_at integer not null,
  seen_at    integer not null,
  primary key (owner, hash)
) strict, without rowid;

create table api_token (
  owner      text    not null,
  id         text    not null,
  hash       text    not null unique check (length(hash) = 64),
  name       text    not null,
  scopes     text    not null,
  created_at integer not null,
  expires_at integer,
  primary key (owner, id)
) strict, without rowid;

create table repo (
  owner             text    not null,
  id                text    not null,
  url               text    not null,
  canonical         text    not null,
  name              text    not null,
  provider          text    not null,
  status            text    not null,
  status_reason     text,
  default_branch    text,
  settings          text    not null,
  credential_kind   text    not null,
  sealed_credential text,
  revision          integer not null check (revision > 0),
  created_at        integer not null,
  updated_at        integer not null,
  removed_at        integer,
  primary key (owner, id)
) strict;
create unique index repo_address on repo (owner, canonical) where removed_at is null;

create table run (
  owner               text    not null,
  id                  text    not null,
  repo_id             text    not null,
  kind                text    not null check (kind in ('maintain', 'explore')),
  state               text    not null check (state in ('queued', 'leased', 'preparing', 'running', 'verifying', 'pushing',
    'pushed', 'pr_open', 'succeeded', 'no_change', 'failed', 'cancelled', 'expired', 'lost')),
  focus               text    not null,
  priority            integer not null,
  attempt             integer not null check (attempt >= 0),
  epoch               integer not null check (epoch >= 0),
  is_parallel         integer not null check (is_parallel in (0, 1)),
  wants_pr            integer not null check (wants_pr in (0, 1)),
  revision            integer not null check (revision > 0),
  queued_at           integer not null,
  not_before          integer not null,
  leased_at           integer,
  started_at          integer,
  pushed_at           integer,
  ended_at            integer,
  lease_until         integer,
  worker_id           text,
  cancel_requested_at integer,
  last_seq            integer not null check (last_seq >= 0),
  run_order           text    not null,
  facts               text    not null,
  result              text,
  primary key (owner, id)
) strict;
create index run_repo on run (owner, repo_id, id);
create index run_kind on run (owner, kind, queued_at);
create index run_queued on run (queued_at) where state = 'queued';
create index run_lease on run (lease_until) where lease_until is not null;

create table run_transition (
  owner      text    not null,
  run_id     text    not null,
  revision   integer not null,
  event      text    not null,
  from_state text,
  to_state   text    not null,
  at         integer not null,
  primary key (owner, run_id, revision)
) strict, without rowid;

-- What is said of a run while it goes on. `seq` has no hole; `wseq` is the worker's own number, so that what is sent again is known.
create table bus_event (
  owner  text    not null,
  run_id text    not null,
  seq    integer not null check (seq > 0),
  epoch  integer not null,
  wseq   integer,
  at     integer  not null,
  kind   text    not null,
  role   text    not null,
  item   text    not null,
  primary key (owner, run_id, seq)
) strict, without rowid;
create unique index bus_event_said on bus_event (owner, run_id, epoch, wseq) where wseq is not null;

-- What dispatch has still to hear: written with the change it tells of, removed when it was acted on.
create table outbox (
  owner    text    not null,
  run_id   text    not null,
  revision integer not null,
  at       integer not null,
  primary key (owner, run_id, revision)
) strict, without rowid;
create index outbox_age on outbox (at);

create table memory (
  owner        text    not null,
  id           text    not null,
  repo_id      text    not null,
  text         text    not null,
  normalised   text    not null,
  kind         text    not null,
  source       text    not null,
  status       text    not null,
  pinned       integer not null check (pinned in (0, 1)),
  scope        text,
  hits         integer not null,
  last_used_at integer,
  created_at   integer not null,
  primary key (owner, id)
) strict;
create unique index memory_text on memory (owner, repo_id, normalised);
create index memory_repo on memory (owner, repo_id, id);

create table idempotency (
  owner      text    not null,
  key        text    not null,
  payload    text    not null,
  answer     text    not null,
  expires_at integer not null,
  primary key (owner, key)
) strict, without rowid;
create index idempotency_end on idempotency (expires_at);

create table audit (
  owner text    not null,
  id    text    not null,
  what  text    not null,
  at    integer not null,
  primary key (owner, id)
) strict, without rowid;
