-- Schedules. JSON and times as in the first migration.

update repo set settings = json_set(settings, '$.schedule',
  json('{"enabled":false,"cron":null,"timezone":"UTC","jitter_s":300,"missed":"skip","max_open_prs":3}'),
  '$.explore.schedule', null);

-- When a schedule of a repo is due next: `scheduled_for` as its pattern says, `due_at` with its jitter. `held_until`: somebody is at it.
create table schedule (
  owner         text    not null,
  repo_id       text    not null,
  kind          text    not null check (kind in ('maintain', 'explore')),
  scheduled_for integer not null,
  due_at        integer not null,
  held_until    integer not null,
  primary key (owner, repo_id, kind)
) strict, without rowid;
create index schedule_due on schedule (due_at);

-- What became of each time: one record, written with the run that it made.
create table schedule_fire (
  owner         text    not null,
  id            text    not null,
  repo_id       text    not null,
  kind          text    not null check (kind in ('maintain', 'explore')),
  scheduled_for integer not null,
  at            integer not null,
  result        text    not null,
  run_id        text,
  missed_since  integer,
  primary key (owner, id)
) strict;
create unique index schedule_fire_once on schedule_fire (owner, repo_id, kind, scheduled_for);
create index schedule_fire_repo on schedule_fire (owner, repo_id, id);
create index schedule_fire_age on schedule_fire (at);
