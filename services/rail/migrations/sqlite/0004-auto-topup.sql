-- Automatic top-ups. `payment_ref` names the payment method that a checkout saved at the provider; null until then.
create table auto_topup (
  wallet_id       text    not null primary key references wallet (id),
  threshold_micro integer not null check (threshold_micro > 0),
  amount_micro    integer not null check (amount_micro > 0),
  max_per_month   integer not null check (max_per_month > 0),
  payment_ref     text,
  stopped_at      integer,
  stop_reason     text    check (stop_reason in ('declined', 'authentication_required', 'rejected', 'review', 'returned')),
  check ((stopped_at is null) = (stop_reason is null))
) strict, without rowid;

-- The saved method that an automatic top-up charges; null for a checkout. A wallet has at most one that is open.
alter table topup add column payment_ref text;
create unique index topup_auto_pending on topup (wallet_id) where payment_ref is not null and state = 'pending';
create index topup_auto on topup (wallet_id, created_at) where payment_ref is not null;
