-- Rows stand in the order of their ids, which is that of time: rows booked together share a page, where by key each would have
-- dirtied one of its own. Nothing reads rows by key.
create table usage_row_by_time (
  id           text    not null primary key,
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
) strict, without rowid;

insert into usage_row_by_time (id, key_id, request_id, at, day, route, status, requests, items, billed_items, bytes, geo, test, amount_micro)
  select id, key_id, request_id, at, day, route, status, requests, items, billed_items, bytes, geo, test, amount_micro
    from usage_row order by id;

drop table usage_row;
alter table usage_row_by_time rename to usage_row;
create index usage_row_day on usage_row (day, at);

create trigger usage_row_keeps before update on usage_row
begin select raise(abort, 'usage rows are append-only: book a correction'); end;
create trigger usage_row_stays before delete on usage_row
begin select raise(abort, 'usage rows are append-only: book a correction'); end;
