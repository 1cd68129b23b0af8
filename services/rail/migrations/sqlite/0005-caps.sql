-- Caps and spend of wallets and of their tokens, in micro-euros. `day` and `month` count UTC days and months since 1970; spend is kept for
-- that window and for the one before it. The wallet's are in its own row, which every charge rewrites anyway.
alter table wallet add column per_charge_micro   integer check (per_charge_micro >= 0);
alter table wallet add column per_day_micro      integer check (per_day_micro >= 0);
alter table wallet add column per_month_micro    integer check (per_month_micro >= 0);
alter table wallet add column day                integer not null default 0;
alter table wallet add column day_micro          integer not null default 0 check (day_micro >= 0);
alter table wallet add column day_before_micro   integer not null default 0 check (day_before_micro >= 0);
alter table wallet add column month              integer not null default 0;
alter table wallet add column month_micro        integer not null default 0 check (month_micro >= 0);
alter table wallet add column month_before_micro integer not null default 0 check (month_before_micro >= 0);
alter table wallet add column spent_micro        integer not null default 0 check (spent_micro >= 0);
alter table wallet_owner add column alerts text not null default '[80,100]';

create table sub_token (
  id                 text    not null primary key,
  wallet_id          text    not null references wallet (id),
  hash               text    not null unique,
  hint               text    not null,
  name               text    not null,
  ops                text,
  per_charge_micro   integer check (per_charge_micro >= 0),
  per_day_micro      integer check (per_day_micro >= 0),
  per_month_micro    integer check (per_month_micro >= 0),
  total_micro        integer check (total_micro >= 0),
  day                integer not null,
  day_micro          integer not null check (day_micro >= 0),
  day_before_micro   integer not null check (day_before_micro >= 0),
  month              integer not null,
  month_micro        integer not null check (month_micro >= 0),
  month_before_micro integer not null check (month_before_micro >= 0),
  spent_micro        integer not null check (spent_micro >= 0),
  created_at         integer not null,
  expires_at         integer,
  revoked_at         integer
) strict, without rowid;
create index sub_token_wallet on sub_token (wallet_id, id);

-- Null for the main token.
alter table wallet_token add column token_id text;
-- Null if the main token paid; null if nothing but the balance limited what could be spent after the charge.
alter table charge add column token_id text;
alter table charge add column spendable_micro integer;
alter table entry add column token_id text;
create index entry_token on entry (token_id, seq) where token_id is not null;

-- Keys of different tokens are independent.
drop index charge_key;
create unique index charge_key on charge (wallet_id, op, key_hash, coalesce(token_id, ''))
  where key_hash is not null and state <> 'voided';
