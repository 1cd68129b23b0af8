-- One row. The highest time that the ledger is known to have reached, kept about once a minute: a clock that is far from it is not trusted.
-- `confirmed_lag_ms`: how far behind the ledger's time an operator has confirmed the clock to be.
create table clock (
  single           integer not null primary key check (single = 1),
  known_at         integer,
  confirmed_lag_ms integer not null check (confirmed_lag_ms >= 0)
) strict, without rowid;
insert into clock (single, known_at, confirmed_lag_ms) values (1, null, 0);
