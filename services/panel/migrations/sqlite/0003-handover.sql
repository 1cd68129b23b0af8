-- What workers hand over, and what the panel does outside its store with it.

-- A bundle belongs to one epoch of a run: what an older holder uploaded is never pushed.
create table delivery (
  owner  text    not null,
  run_id text    not null,
  epoch  integer not null,
  sha256 text    not null check (length(sha256) = 64),
  bytes  integer not null check (bytes >= 0),
  at     integer not null,
  -- Of the whole change as text, once the bundle was judged.
  diff_sha256 text,
  primary key (owner, run_id, epoch)
) strict, without rowid;
create index delivery_blob on delivery (sha256);
create index delivery_diff on delivery (diff_sha256) where diff_sha256 is not null;

create table artifact (
  owner  text    not null,
  run_id text    not null,
  sha256 text    not null check (length(sha256) = 64),
  bytes  integer not null check (bytes >= 0),
  at     integer not null,
  primary key (owner, run_id, sha256)
) strict, without rowid;
create index artifact_blob on artifact (sha256);

-- Bytes by their SHA-256 where no folder keeps them, in pieces of 1 MiB.
create table blob (
  sha256  text    not null,
  place   integer not null check (place >= 0),
  content blob    not null,
  at      integer not null,
  primary key (sha256, place)
) strict;
create index blob_age on blob (at) where place = 0;

-- Effects of a state, each once for a run: written in the commit that brings the state, leased while the forge is spoken to.
create table effect (
  owner       text    not null,
  run_id      text    not null,
  kind        text    not null check (kind in ('push', 'pr')),
  repo_id     text    not null,
  state       text    not null check (state in ('waiting', 'watching', 'done', 'refused')),
  attempts    integer not null check (attempts >= 0),
  next_at     integer not null,
  leased_by   text,
  lease_until integer not null,
  patch_id    text,
  outcome     text,
  primary key (owner, run_id, kind)
) strict, without rowid;
create index effect_due on effect (next_at) where state in ('waiting', 'watching');
create index effect_patch on effect (owner, repo_id, patch_id) where kind = 'pr';

-- When a repo was reached last, with what rights, and when it is looked at again.
create table contact (
  owner          text    not null,
  repo_id        text    not null,
  next_at        integer,
  checked_at     integer,
  can_push       integer check (can_push in (0, 1)),
  can_open_pr    integer check (can_open_pr in (0, 1)),
  detects_verify integer not null check (detects_verify in (0, 1)),
  primary key (owner, repo_id)
) strict, without rowid;
create index contact_due on contact (next_at) where next_at is not null;
