-- Rows stand in the order in which they were booked, each behind the one before: booking touches the end of one table and nothing else.
-- Their sums in `usage_day` lie on other pages for nearly each key, so they are brought up to date by thousands of rows.
create table usage_row_as_booked (
  number       integer not null primary key,
  id           text    not null,
  key_id       text    not null,
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
  amount_micro integer not null
) strict;

insert into usage_row_as_booked (id, key_id, request_id, at, day, route, status, requests, items, billed_items, bytes, geo, test, amount_micro)
  select id, key_id, request_id, at, day, route, status, requests, items, billed_items, bytes, geo, test, amount_micro
    from usage_row order by id;

drop table usage_row;
alter table usage_row_as_booked rename to usage_row;

create trigger usage_row_keeps before update on usage_row
begin select raise(abort, 'usage rows are append-only: book a correction'); end;
create trigger usage_row_stays before delete on usage_row
begin select raise(abort, 'usage rows are append-only: book a correction'); end;

-- How far the sums have come: rows up to `number` are in them, and all those were admitted by `at`; later rows are not. While there is
-- no mark every row is, as in a store that was copied or made by an older program.
create table usage_mark (
  number integer not null primary key,
  at     integer not null
) strict;

-- What the sums of keys and days are made of, at every moment and for every reader: `usage_day`, and the rows that are not in it yet.
create view usage_part as
  select key_id, day, requests, items, billed_items, bytes, geo_requests, amount_micro from usage_day
  union all
  select key_id, day, requests, items, billed_items, bytes, geo, amount_micro from usage_row
   where number > (select max(number) from usage_mark);
