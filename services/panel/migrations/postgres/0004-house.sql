-- Candidates, and what signs in once. JSON and times as in the first migration.

alter table run add column candidate_id text;
create index run_candidate on run (owner, candidate_id, id) where candidate_id is not null;

-- What a scout found and proved red; `proposal` as the worker said it. `was_…`: whether it ever was.
create table candidate (
  owner          text    not null,
  id             text    not null,
  repo_id        text    not null,
  explore_run_id text    not null,
  state          text    not null check (state in ('proposed', 'selected', 'rejected', 'done')),
  fingerprint    text    not null,
  category       text    not null,
  score          double precision not null,
  proposal       text    not null,
  base_sha       text,
  stale          integer not null check (stale in (0, 1)),
  attempts       integer not null check (attempts >= 0),
  run_id         text,
  outcome        text,
  reject         text,
  was_selected   integer not null check (was_selected in (0, 1)),
  was_delivered  integer not null check (was_delivered in (0, 1)),
  created_at     bigint not null,
  primary key (owner, id)
);
create unique index candidate_fingerprint on candidate (owner, repo_id, fingerprint);
create index candidate_score on candidate (owner, repo_id, state, score, id);

-- Of what scouts said again, or what was green when they said it, only the number is kept.
create table scout_tally (
  owner         text    not null,
  repo_id       text    not null,
  suppressed    integer not null,
  dropped_green integer not null,
  primary key (owner, repo_id)
);

create table sign_in_link (
  owner      text    not null,
  hash       text    not null unique check (length(hash) = 64),
  expires_at bigint not null,
  primary key (owner, hash)
);
create index sign_in_link_end on sign_in_link (expires_at);
create index repo_removed on repo (removed_at) where removed_at is not null;
