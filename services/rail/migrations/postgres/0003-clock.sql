-- One row. The highest time that the ledger is known to have reached, kept about once a minute: a clock that is far from it is not trusted.
-- `confirmed_lag_ms`: how far behind the ledger's time an operator has confirmed the clock to be.
create table clock (
  single           integer not null primary key check (single = 1),
  known_at         bigint,
  confirmed_lag_ms bigint  not null check (confirmed_lag_ms >= 0)
);
insert into clock (single, known_at, confirmed_lag_ms) values (1, null, 0);

-- Promo credit ends by `expiry_time` of the context, not by `now`: it is 0 while the clock is unconfirmed. The rest of the function stays.
do $$
declare
  v_before constant text := 'v_wallet.promo_expires_at <= v_now';
  v_source constant text := pg_get_functiondef('rail_apply_batches(jsonb, jsonb)'::regprocedure);
begin
  if strpos(v_source, v_before) = 0 then
    raise exception 'rail_apply_batches compares no promo credit with the time';
  end if;
  execute replace(v_source, v_before, 'v_wallet.promo_expires_at <= (p_context ->> ''expiry_time'')::bigint');
end $$;
