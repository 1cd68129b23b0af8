-- Keys. Rows are never deleted: bills keep pointing at them. Times are milliseconds since 1970, booleans 0 or 1.
create table api_key (
  id          text    not null primary key,
  name        text    not null,
  plan        text    not null,
  test        integer not null check (test in (0, 1)),
  daily_items bigint  check (daily_items >= -1),  -- null = as the plan says, -1 = no cap
  created_at  bigint  not null,
  expires_at  bigint,
  revoked_at  bigint,
  rotated_at  bigint,
  changed     bigint  not null unique             -- number of its last change, see api_key_sequence
);

-- A key is known by the SHA-256 of its text only.
create table api_key_secret (
  hash        text   not null primary key,
  key_id      text   not null references api_key (id),
  created_at  bigint not null,
  valid_until bigint
);
create index api_key_secret_key on api_key_secret (key_id);

-- One row: the number of the last change to any key.
create table api_key_sequence (
  single integer not null primary key check (single = 1),
  value  bigint  not null
);

-- One row per answered request, and per correction (requests = 0). Append-only. `day` is the UTC day it is booked on: the day of
-- `at`, unless that day was closed meanwhile. No foreign key to api_key: keys are never deleted, and this is the hottest table.
create table usage_row (
  key_id       text    not null,
  id           text    not null,
  request_id   text    not null,
  at           bigint  not null,
  day          text    not null,
  route        text    not null,
  status       integer not null,
  requests     integer not null check (requests in (0, 1)),
  items        bigint  not null check (items >= 0),
  billed_items bigint  not null check (billed_items in (0, items)),
  bytes        bigint  not null check (bytes >= 0),
  geo          integer not null check (geo in (0, 1)),
  test         integer not null check (test in (0, 1)),
  amount_micro bigint  not null,
  primary key (key_id, id)
);
create index usage_row_day on usage_row (day, at);

create function metering_refuse() returns trigger language plpgsql as $$
begin raise exception '%', tg_argv[0]; end $$;
create trigger usage_row_keeps before update or delete on usage_row
  for each row execute function metering_refuse('usage rows are append-only: book a correction');

-- The sums of usage_row, written in the same transaction. Room on each page lets an update stay on it.
create table usage_day (
  key_id       text   not null,
  day          text   not null,
  requests     bigint not null,
  items        bigint not null,
  billed_items bigint not null,
  bytes        bigint not null,
  geo_requests bigint not null,
  amount_micro bigint not null,
  primary key (key_id, day)
) with (fillfactor = 70);
create index usage_day_day on usage_day (day);

create table usage_closed_day (
  day       text   not null primary key,
  closed_at bigint not null
);

create function metering_refuse_closed() returns trigger language plpgsql as $$
begin
  if exists (select 1 from usage_closed_day c where c.day = old.day) then
    raise exception 'the day % is closed: book a correction on another day', old.day;
  end if;
  return new;
end $$;
create trigger usage_day_closed before update on usage_day for each row execute function metering_refuse_closed();
create trigger usage_day_stays before delete on usage_day
  for each row execute function metering_refuse('the sums of a day stay as long as its rows');

-- What was asked for, once per key and month. `name` is the idempotency name under which it is collected.
create table invoice_line (
  name         text   not null primary key,
  key_id       text   not null,
  month        text   not null,
  requests     bigint not null,
  items        bigint not null,
  amount_micro bigint not null,
  made_at      bigint not null
);
create index invoice_line_month on invoice_line (month);
