-- The ledger. Times are milliseconds since 1970, money is micro-euros, hashes are lower-case hex.

create function rail_refuse() returns trigger language plpgsql as $$
begin
  raise exception '%', tg_argv[0] using errcode = 'restrict_violation';
end $$;

-- Money of a wallet. Narrow, because every charge rewrites a row. What its two buckets hold are the totals of the accounts
-- `wallet:<id>:paid` and `wallet:<id>:promo`, which have no rows in `account`.
create table wallet (
  id               text    not null primary key,
  status           text    not null check (status in ('active', 'frozen', 'closed')),
  paid_micro       bigint  not null check (paid_micro >= 0),
  promo_micro      bigint  not null check (promo_micro >= 0),
  promo_expires_at bigint,
  seq              bigint  not null check (seq >= 0),
  head             text    not null check (length(head) = 64)
) with (fillfactor = 50);

-- What is not money. The address is ciphertext, and gone once the wallet is closed.
create table wallet_owner (
  wallet_id         text    not null primary key references wallet (id),
  label             text,
  email_sealed      bytea,
  email_lookup      text,
  token_hint        text    not null,
  low_balance_micro bigint  not null check (low_balance_micro >= 0),
  created_at        bigint  not null
);
create index wallet_owner_email on wallet_owner (email_lookup) where email_lookup is not null;

create table wallet_token (
  hash        text    not null primary key,
  wallet_id   text    not null references wallet (id),
  created_at  bigint  not null,
  valid_until bigint
);
create index wallet_token_wallet on wallet_token (wallet_id);
create index wallet_token_end on wallet_token (valid_until) where valid_until is not null;

-- Totals of all accounts that are not a wallet's.
create table account (
  id          text    not null primary key,
  total_micro bigint  not null
) with (fillfactor = 50);

create view account_total (id, total_micro) as
  select id, total_micro from account
  union all select 'wallet:' || id || ':paid', paid_micro from wallet
  union all select 'wallet:' || id || ':promo', promo_micro from wallet;

create table entry (
  wallet_id           text    not null,
  seq                 bigint  not null check (seq > 0),
  id                  text    not null,
  kind                text    not null check (kind in
    ('starter', 'topup', 'charge', 'void', 'refund', 'dispute', 'purchase', 'promo_expired', 'adjustment')),
  amount_micro        bigint  not null,
  balance_after_micro bigint  not null check (balance_after_micro >= 0),
  charge_id           text,
  topup_id            text,
  reverses            text,
  op                  text,
  created_at          bigint  not null,
  prev                text    not null check (length(prev) = 64),
  primary key (wallet_id, seq)
);
-- Of a wallet with a million charges, the few others.
create index entry_other on entry (wallet_id, kind, seq) where kind <> 'charge';

create trigger entry_keeps before update on entry
  for each statement execute function rail_refuse('entries are never changed: post another one');
create trigger entry_stays before delete on entry
  for each statement execute function rail_refuse('entries are never removed: post another one');

create table transfer (
  id           text    not null primary key,
  entry_id     text    not null,
  debit        text    not null,
  credit       text    not null,
  amount_micro bigint  not null check (amount_micro > 0),
  reverses     text,
  at           bigint  not null,
  operator     text,
  reason       text,
  check (debit <> credit)
);
create unique index transfer_reverses on transfer (reverses) where reverses is not null;

create trigger transfer_keeps before update on transfer
  for each statement execute function rail_refuse('transfers are never changed: reverse them');
create trigger transfer_stays before delete on transfer
  for each statement execute function rail_refuse('transfers are never removed: reverse them');

-- Starts of gateway processes. At most one of an instance is live.
create table instance (
  instance    text    not null,
  boot        text    not null,
  state       text    not null check (state in ('live', 'fenced')),
  lease_until bigint  not null,
  through     bigint  not null check (through >= 0),
  primary key (instance, boot)
);
create unique index instance_live on instance (instance) where state = 'live';
create index instance_lease on instance (lease_until) where state = 'live';

-- With all that its receipt says. Changes only in state, key and their times.
create table charge (
  id                  text    not null primary key,
  instance            text    not null,
  boot                text    not null,
  seq                 bigint  not null check (seq > 0),
  wallet_id           text    not null,
  state               text    not null check (state in ('posted', 'delivered', 'voided', 'refunded')),
  op                  text    not null,
  qty                 bigint  not null check (qty = 1),
  price_id            text    not null,
  amount_micro        bigint  not null check (amount_micro > 0),
  promo_micro         bigint  not null check (promo_micro between 0 and amount_micro),
  revenue             text    not null,
  key_hash            text,
  idk                 text,
  req                 text    not null,
  res                 text    not null,
  issuer              text    not null,
  kid                 text    not null,
  entry_id            text    not null,
  wallet_seq          bigint  not null,
  balance_after_micro bigint  not null,
  prev                text    not null,
  created_at          bigint  not null,
  delivered_at        bigint,
  voided_at           bigint,
  void_reason         text    check (void_reason in ('client_gone', 'aborted', 'fenced', 'lease', 'unacknowledged')),
  unique (instance, boot, seq)
);
create unique index charge_key on charge (wallet_id, op, key_hash) where key_hash is not null and state <> 'voided';
-- Keys are let go some days after delivery.
create index charge_key_age on charge (delivered_at) where key_hash is not null and delivered_at is not null;

create trigger charge_stays before delete on charge
  for each statement execute function rail_refuse('charges are never removed: void them');

-- Attempts that were voided before they arrived.
create table forestalled (
  instance text    not null,
  boot     text    not null,
  seq      bigint  not null,
  primary key (instance, boot, seq)
);

-- Sealed answers to calls with a key.
create table response (
  charge_id  text    not null primary key,
  sealed     text    not null,
  created_at bigint  not null
);

create table topup (
  id           text    not null primary key,
  wallet_id    text    not null,
  provider     text    not null check (provider in ('test', 'manual', 'stripe')),
  session_ref  text,
  state        text    not null check (state in
    ('pending', 'succeeded', 'failed', 'expired', 'review', 'refunded', 'disputed')),
  amount_micro bigint  not null check (amount_micro > 0),
  checkout_url text,
  created_at   bigint  not null,
  expires_at   bigint,
  entry_id     text,
  check_at     bigint,
  checks       bigint  not null
);
create unique index topup_session on topup (provider, session_ref) where session_ref is not null;
create index topup_wallet on topup (wallet_id, id);
create index topup_state on topup (state, id);
create index topup_check on topup (check_at) where check_at is not null;

-- What providers said, for the operator who asks. Nothing is decided by it.
create table provider_event (
  topup_id    text    not null,
  event       text    not null,
  kind        text    not null,
  received_at bigint  not null,
  primary key (topup_id, event)
);

create table entitlement (
  id                  text    not null primary key,
  purchase_id         text    not null unique,
  wallet_id           text    not null,
  sku                 text    not null,
  ref                 text    not null,
  price_id            text    not null,
  amount_micro        bigint  not null check (amount_micro > 0),
  issuer              text    not null,
  kid                 text    not null,
  wallet_seq          bigint  not null,
  balance_after_micro bigint  not null,
  prev                text    not null,
  created_at          bigint  not null,
  unique (wallet_id, sku, ref)
);

create table signing_key (
  kid         text    not null primary key,
  x           text    not null,
  sealed      text    not null,
  created_at  bigint  not null,
  active_from bigint  not null,
  retired_at  bigint,
  not_after   bigint
);

-- What became of the starter credit of each wallet. `amount_micro` is 0 where it was not granted. Stays when its wallet is closed: a
-- second wallet of the same address gets none.
create table starter_grant (
  wallet_id    text    not null primary key,
  state        text    not null check (state in ('granted', 'pending_verification', 'already_used', 'deferred')),
  email_lookup text    not null,
  network      text    not null,
  amount_micro bigint  not null check (amount_micro >= 0),
  at           bigint  not null,
  ends_at      bigint
);
create index starter_grant_email on starter_grant (email_lookup, at) where state = 'granted';
create index starter_grant_network on starter_grant (network, at) where state = 'granted';
create index starter_grant_at on starter_grant (at) where state = 'granted';
create index starter_grant_end on starter_grant (ends_at) where ends_at is not null;

-- One row. Also the lock under which starter credit is granted, because its guards count what others were granted.
create table installation (
  single integer not null primary key check (single = 1),
  mode   text    check (mode in ('test', 'live'))
);
insert into installation (single, mode) values (1, null);

-- Creating calls by the name of their Idempotency-Key. No answer yet = it runs.
create table once (
  name       text    not null primary key,
  payload    text    not null,
  started_at bigint  not null,
  expires_at bigint  not null,
  answer     text
);
create index once_expires on once (expires_at);

-- What operators did that moves no money.
create table operator_act (
  id        text    not null primary key,
  wallet_id text    not null,
  act       text    not null check (act in ('freeze', 'unfreeze')),
  operator  text    not null,
  reason    text    not null,
  at        bigint  not null
);
