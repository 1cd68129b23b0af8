-- Keys. Rows are never deleted: bills keep pointing at them. Times are milliseconds since 1970, booleans 0 or 1.
create table api_key (
  id          text    not null primary key,
  name        text    not null,
  plan        text    not null,
  test        integer not null check (test in (0, 1)),
  daily_items integer check (daily_items >= -1),  -- null = as the plan says, -1 = no cap
  created_at  integer not null,
  expires_at  integer,
  revoked_at  integer,
  rotated_at  integer,
  changed     integer not null unique             -- number of its last change, see api_key_sequence
) strict, without rowid;

-- A key is known by the SHA-256 of its text only.
create table api_key_secret (
  hash        text    not null primary key,
  key_id      text    not null references api_key (id),
  created_at  integer not null,
  valid_until integer
) strict, without rowid;
create index api_key_secret_key on api_key_secret (key_id);

-- One row: the number of the last change to any key.
create table api_key_sequence (
  single integer not null primary key check (single = 1),
  value  integer not null
) strict, without rowid;

-- One row per answered request, and per correction (requests = 0). Append-only. `day` is the UTC day it is booked on: the day of
-- `at`, unless that day was closed meanwhile. No foreign key to api_key: keys are never deleted, and this is the hottest table.
create table usage_row (
  key_id       text    not null,
  id           text    not null,
  request_id   text    not null,
  at           integer not null,
  day          text    not null,
  route        text    not null,
  status       integer not null,
  requests     integer not null check (requests in (0, 1)),
  items        integer not null check (items >= 0),
  billed_items integer not null check (billed_items in (0, items)),
  bytes        integer not null check (bytes >= 0),
  geo          integer not null check (geo in (0, 1)),
  test         integer not null check (test in (0, 1)),
  amount_micro integer not null,
  primary key (key_id, id)
) strict, without rowid;
create index usage_row_day on usage_row (day, at);

create trigger usage_row_keeps before update on usage_row
begin select raise(abort, 'usage rows are append-only: book a correction'); end;
create trigger usage_row_stays before delete on usage_row
begin select raise(abort, 'usage rows are append-only: book a correction'); end;

-- The sums of usage_row, written in the same transaction.
create table usage_day (
  key_id       text    not null,
  day          text    not null,
  requests     integer not null,
  items        integer not null,
  billed_items integer not null,
  bytes        integer not null,
  geo_requests integer not null,
  amount_micro integer not null,
  primary key (key_id, day)
) strict, without rowid;
create index usage_day_day on usage_day (day);

create table usage_closed_day (
  day       text    not null primary key,
  closed_at integer not null
) strict, without rowid;

create trigger usage_day_closed before update on usage_day
when exists (select 1 from usage_closed_day where day = old.day)
begin select raise(abort, 'the day is closed: book a correction on another day'); end;
create trigger usage_day_stays before delete on usage_day
begin select raise(abort, 'the sums of a day stay as long as its rows'); end;

-- What was asked for, once per key and month. `name` is the idempotency name under which it is collected.
create table invoice_line (
  name         text    not null primary key,
  key_id       text    not null,
  month        text    not null,
  requests     integer not null,
  items        integer not null,
  amount_micro integer not null,
  made_at      integer not null
) strict, without rowid;
create index invoice_line_month on invoice_line (month);
