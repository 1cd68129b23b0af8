-- Times are milliseconds since 1970.

-- Facts of the installation: account_id, floor_at, runs_until, read_at.
create table fact (
  name  text not null primary key,
  value text not null
) strict;

-- Runs that can still cause an event.
create table open_run (
  id text not null primary key
) strict;

create table target (
  id    text not null primary key,
  label text not null
) strict;

-- Every event that was found, also without a rule: it is never stored a second time.
create table event (
  id   text    not null primary key,
  type text    not null,
  at   integer not null,
  body text    not null
) strict;

create table message (
  number     integer not null primary key,
  event_id   text    not null references event (id) on delete cascade,
  target_id  text    not null references target (id),
  state      text    not null check (state in ('pending', 'delivered', 'failed')),
  attempts   integer not null,
  created_at integer not null,
  next_at    integer not null,
  ended_at   integer,
  error      text,
  unique (event_id, target_id)
) strict;

create index message_pending on message (target_id, next_at) where state = 'pending';
create index message_by_target on message (target_id, state, ended_at);
create index event_by_time on event (at);
