create table account (
  id      text primary key,
  balance integer not null default 0 check (balance >= 0),
  note    text,
  weight  real,
  seal    blob
) strict;

create table movement (
  number     integer primary key autoincrement,
  account_id text not null references account (id),
  amount     integer not null
) strict;
create index movement_by_account on movement (account_id, number);
