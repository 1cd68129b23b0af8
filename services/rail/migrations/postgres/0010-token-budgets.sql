-- What every charge of a sub-token reads and writes, apart from what it never looks at: narrow like the wallet's row, so that the charges
-- of a commit change fewer pages.
-- Every charge checks the whole row: two checks instead of nine, and no foreign key, whose trigger reads the row again.
create table token_budget (
  token_id           text   not null primary key,
  ops                text,
  per_charge_micro   bigint,
  per_day_micro      bigint,
  per_month_micro    bigint,
  total_micro        bigint,
  day                bigint not null,
  day_micro          bigint not null,
  day_before_micro   bigint not null,
  month              bigint not null,
  month_micro        bigint not null,
  month_before_micro bigint not null,
  spent_micro        bigint not null,
  check (least(per_charge_micro, per_day_micro, per_month_micro, total_micro) >= 0),
  check (least(day_micro, day_before_micro, month_micro, month_before_micro, spent_micro) >= 0)
) with (fillfactor = 50);
insert into token_budget
  select id, ops, per_charge_micro, per_day_micro, per_month_micro, total_micro,
         day, day_micro, day_before_micro, month, month_micro, month_before_micro, spent_micro
    from sub_token;

drop function rail_reached_cap (wallet, sub_token, bigint, bigint, bigint);
alter table sub_token drop column ops,
  drop column per_charge_micro,
  drop column per_day_micro,
  drop column per_month_micro,
  drop column total_micro,
  drop column day,
  drop column day_micro,
  drop column day_before_micro,
  drop column month,
  drop column month_micro,
  drop column month_before_micro,
  drop column spent_micro;

-- [cap, owner, limit, spent] of the cap that lasts longest; null if the charge exceeds none. `s` is null for the main token.
create function rail_reached_cap(w wallet, s token_budget, p_price bigint, p_day bigint, p_month bigint) returns jsonb
  language plpgsql immutable as $$
declare
  v_spent bigint;
begin
  if s.per_charge_micro < p_price then return jsonb_build_array('per_charge', 'token', s.per_charge_micro, 0); end if;
  if w.per_charge_micro < p_price then return jsonb_build_array('per_charge', 'wallet', w.per_charge_micro, 0); end if;
  if s.spent_micro + p_price > s.total_micro then
    return jsonb_build_array('total', 'token', s.total_micro, s.spent_micro);
  end if;
  if s.per_month_micro is not null then
    v_spent := rail_spent(s.month, s.month_micro, s.month_before_micro, p_month);
    if v_spent is null or v_spent + p_price > s.per_month_micro then
      return jsonb_build_array('per_month', 'token', s.per_month_micro, coalesce(v_spent, s.per_month_micro));
    end if;
  end if;
  if w.per_month_micro is not null then
    v_spent := rail_spent(w.month, w.month_micro, w.month_before_micro, p_month);
    if v_spent is null or v_spent + p_price > w.per_month_micro then
      return jsonb_build_array('per_month', 'wallet', w.per_month_micro, coalesce(v_spent, w.per_month_micro));
    end if;
  end if;
  if s.per_day_micro is not null then
    v_spent := rail_spent(s.day, s.day_micro, s.day_before_micro, p_day);
    if v_spent is null or v_spent + p_price > s.per_day_micro then
      return jsonb_build_array('per_day', 'token', s.per_day_micro, coalesce(v_spent, s.per_day_micro));
    end if;
  end if;
  if w.per_day_micro is not null then
    v_spent := rail_spent(w.day, w.day_micro, w.day_before_micro, p_day);
    if v_spent is null or v_spent + p_price > w.per_day_micro then
      return jsonb_build_array('per_day', 'wallet', w.per_day_micro, coalesce(v_spent, w.per_day_micro));
    end if;
  end if;
  return null;
end $$;

create or replace function rail_apply_batches(p_batches jsonb, p_context jsonb) returns jsonb language plpgsql
  -- Plans are made once for each connection, maybe while the tables are still empty. So no statement leaves a choice: each finds its
  -- rows by a whole key, and what comes from the question stands in front (`lateral … offset 0`) of what is looked up for it.
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
as $$
declare
  v_now       constant bigint := (p_context ->> 'now')::bigint;
  v_iso       constant text   := p_context ->> 'iso';
  v_day       constant bigint := (p_context ->> 'day')::bigint;
  v_month     constant bigint := (p_context ->> 'month')::bigint;
  v_lease     constant bigint := v_now + (p_context ->> 'lease_ms')::bigint;
  v_ent       constant text[] := array(select jsonb_array_elements_text(p_context -> 'ent'));
  v_chg       constant text[] := array(select jsonb_array_elements_text(p_context -> 'chg'));
  v_ent_used  integer := 0;
  v_chg_used  integer := 0;

  v_boots     instance[];
  v_names     text[];
  v_boot      instance;
  v_done      boolean[];
  v_through   bigint[];
  v_also      jsonb[];
  v_wallets   wallet[];
  v_ids       text[];
  v_tokens    text[];
  v_token_ids text[];
  v_touched   boolean[];
  v_subs      token_budget[] := '{}';
  v_subs_at   tid[];
  v_subs_of   text[];
  v_is_spent  boolean[]  := '{}';
  v_written   bigint;
  v_sub       token_budget;
  v_sub_at    integer;
  v_count     bigint[];
  v_balance   bigint;
  v_spendable bigint;
  v_entries   entry[]    := '{}';
  v_transfers transfer[] := '{}';
  v_charges   charge[]   := '{}';
  v_responses text[]     := '{}';
  v_outcomes  jsonb[]    := '{}';
  v_results   jsonb[];

  v_batch     jsonb;
  v_ask       jsonb;
  v_asks      jsonb;
  v_known     charge[];
  v_barred    text[];
  v_is_stale  boolean    := true;
  v_first     integer;
  v_place     integer;
  v_holder    integer;
  v_wallet    wallet;
  v_charge    charge;
  v_entry     entry;
  v_at        integer;
  v_place_of  integer;
  v_seq       bigint;
  v_price     bigint;
  v_promo     bigint;
  v_found     boolean;
begin
  v_boots := array(
    select l.locked
      from (select b.value ->> 'instance' as instance, b.value ->> 'boot' as boot
              from jsonb_array_elements(p_batches) as b (value) order by 1, 2) as n
     cross join lateral (select i as locked from instance as i
                          where i.instance = n.instance and i.boot = n.boot for update) as l);

  v_names := array(select b.instance || ' ' || b.boot from unnest(v_boots) as b);
  v_done := array_fill(false, array[cardinality(v_names)]);
  v_through := array(select b.through from unnest(v_boots) as b);
  v_also := array_fill('[]'::jsonb, array[cardinality(v_names)]);

  -- Every wallet that will be looked at: those of the tokens, and those of charges that are voided by name.
  select coalesce(array_agg(t.hash), '{}'), coalesce(array_agg(t.wallet_id), '{}'), coalesce(array_agg(t.token_id), '{}')
    into v_tokens, v_token_ids, v_subs_of
    from (select distinct c.value ->> 'hash' as hash
            from jsonb_array_elements(p_batches) as b (value) cross join jsonb_array_elements(b.value -> 'charges') as c (value)) as h
   cross join lateral (select t.hash, t.wallet_id, t.token_id from wallet_token as t
                        where t.hash = h.hash and (t.valid_until is null or t.valid_until > v_now) offset 0) as t;
  select v_token_ids || coalesce(array_agg(c.wallet_id), '{}'), v_subs_of || coalesce(array_agg(distinct c.token_id), '{}')
    into v_ids, v_subs_of
      from jsonb_array_elements(p_batches) as b (value) cross join jsonb_array_elements(b.value -> 'voids') as v (value)
     cross join lateral (select c.wallet_id, c.token_id from charge as c
                          where c.instance = b.value ->> 'instance' and c.boot = b.value ->> 'boot'
                            and c.seq = (v.value ->> 0)::bigint offset 0) as c;
  v_wallets := array(select w from wallet as w where w.id = any(v_ids) order by w.id for update);
  v_ids := array(select w.id from unnest(v_wallets) as w);
  v_touched := array_fill(false, array[cardinality(v_ids)]);
  -- Under the locks of their wallets: rows of tokens change under no other lock, so each is written where it was found.
  if array_remove(v_subs_of, null) <> '{}' then
    select array_agg(k.sub order by o.place), array_agg(k.found_at order by o.place) into v_subs, v_subs_at
      from unnest(v_subs_of) with ordinality as o (id, place)
      left join lateral (select s as sub, s.ctid as found_at from token_budget as s where s.token_id = o.id offset 0) as k on true;
    v_is_spent := array_fill(false, array[cardinality(v_subs_of)]);
  end if;

  for v_b in 0 .. jsonb_array_length(p_batches) - 1 loop
    v_batch := p_batches -> v_b;
    v_place := array_position(v_names, (v_batch ->> 'instance') || ' ' || (v_batch ->> 'boot'));
    v_boot := v_boots[v_place];
    if v_place is null or v_boot.state = 'fenced' then
      v_outcomes := v_outcomes || 'null'::jsonb;
      continue;
    end if;
    exit when v_boot.lease_until <= v_now;

    v_asks := v_batch -> 'voids';
    for v_n in 0 .. jsonb_array_length(v_asks) - 1 loop
      v_ask := v_asks -> v_n;
      v_is_stale := true;
      v_seq := (v_ask ->> 0)::bigint;
      select c.* into v_charge from charge as c
       where c.instance = v_boot.instance and c.boot = v_boot.boot and c.seq = v_seq;
      if not found then
        insert into forestalled (instance, boot, seq) values (v_boot.instance, v_boot.boot, v_seq) on conflict do nothing;
        continue;
      end if;
      v_at := array_position(v_ids, v_charge.wallet_id);
      continue when v_charge.state <> 'posted' or v_at is null;

      v_ent_used := v_ent_used + 1;
      v_wallet := v_wallets[v_at];
      v_wallet.paid_micro := v_wallet.paid_micro + v_charge.amount_micro - v_charge.promo_micro;
      v_wallet.promo_micro := v_wallet.promo_micro + v_charge.promo_micro;
      v_count := rail_counted(v_wallet.day, v_wallet.day_micro, v_wallet.day_before_micro, v_charge.created_at / 86400000, -v_charge.amount_micro);
      v_wallet.day := v_count[1];
      v_wallet.day_micro := v_count[2];
      v_wallet.day_before_micro := v_count[3];
      v_count := rail_counted(v_wallet.month, v_wallet.month_micro, v_wallet.month_before_micro, rail_month(v_charge.created_at), -v_charge.amount_micro);
      v_wallet.month := v_count[1];
      v_wallet.month_micro := v_count[2];
      v_wallet.month_before_micro := v_count[3];
      v_wallet.spent_micro := greatest(0, v_wallet.spent_micro - v_charge.amount_micro);
      if v_charge.token_id is not null then
        v_sub_at := array_position(v_subs_of, v_charge.token_id);
        v_sub := v_subs[v_sub_at];
        v_count := rail_counted(v_sub.day, v_sub.day_micro, v_sub.day_before_micro, v_charge.created_at / 86400000, -v_charge.amount_micro);
        v_sub.day := v_count[1];
        v_sub.day_micro := v_count[2];
        v_sub.day_before_micro := v_count[3];
        v_count := rail_counted(v_sub.month, v_sub.month_micro, v_sub.month_before_micro, rail_month(v_charge.created_at), -v_charge.amount_micro);
        v_sub.month := v_count[1];
        v_sub.month_micro := v_count[2];
        v_sub.month_before_micro := v_count[3];
        v_sub.spent_micro := greatest(0, v_sub.spent_micro - v_charge.amount_micro);
        v_subs[v_sub_at] := v_sub;
        v_is_spent[v_sub_at] := true;
      end if;
      v_entry := row(v_wallet.id, v_wallet.seq + 1, v_ent[v_ent_used], 'void', v_charge.amount_micro,
                     v_wallet.paid_micro + v_wallet.promo_micro, v_charge.id, null, v_charge.entry_id, v_charge.op, v_now, v_wallet.head,
                     v_charge.token_id);
      v_wallet.seq := v_entry.seq;
      v_wallet.head := rail_entry_hash(v_entry, v_iso);
      v_wallets[v_at] := v_wallet;
      v_touched[v_at] := true;
      v_entries := v_entries || v_entry;
      if v_charge.promo_micro > 0 then
        v_transfers := v_transfers || row(v_entry.id || '.promo', v_entry.id, v_charge.revenue, 'wallet:' || v_wallet.id || ':promo',
                                          v_charge.promo_micro, v_charge.entry_id || '.promo', v_now, null, null)::transfer;
      end if;
      if v_charge.amount_micro > v_charge.promo_micro then
        v_transfers := v_transfers || row(v_entry.id || '.paid', v_entry.id, v_charge.revenue, 'wallet:' || v_wallet.id || ':paid',
                                          v_charge.amount_micro - v_charge.promo_micro, v_charge.entry_id || '.paid', v_now, null, null)::transfer;
      end if;
      update charge as c set state = 'voided', voided_at = v_now, void_reason = v_ask ->> 1 where c.id = v_charge.id;
    end loop;

    v_done[v_place] := true;
    v_through[v_place] := greatest(v_boot.through, coalesce((v_batch ->> 'through')::bigint, 0));
    v_also[v_place] := v_batch -> 'also';

    if v_is_stale then
      v_known := array(
        select k.known
          from jsonb_array_elements(p_batches) as b (value) cross join jsonb_array_elements(b.value -> 'charges') as a (value)
         cross join lateral (select c as known from charge as c
                              where c.instance = b.value ->> 'instance' and c.boot = b.value ->> 'boot'
                                and c.seq = (a.value ->> 'seq')::bigint offset 0) as k);
      v_barred := array(
        select k.name
          from jsonb_array_elements(p_batches) as b (value) cross join jsonb_array_elements(b.value -> 'charges') as a (value)
         cross join lateral (select f.instance || ' ' || f.boot || ' ' || f.seq as name from forestalled as f
                              where f.instance = b.value ->> 'instance' and f.boot = b.value ->> 'boot'
                                and f.seq = (a.value ->> 'seq')::bigint offset 0) as k);
      v_is_stale := false;
    end if;

    v_results := '{}';
    v_first := cardinality(v_charges) + 1;
    v_asks := v_batch -> 'charges';
    for v_n in 0 .. jsonb_array_length(v_asks) - 1 loop
      v_ask := v_asks -> v_n;
      v_seq := (v_ask ->> 'seq')::bigint;

      v_found := false;
      if cardinality(v_known) > 0 then
        select k.* into v_charge from unnest(v_known) as k
         where k.seq = v_seq and k.instance = v_boot.instance and k.boot = v_boot.boot limit 1;
        v_found := found;
        if v_found and v_charge.state = 'posted' and (v_seq <= v_through[v_place] or v_also[v_place] @> to_jsonb(v_seq)) then
          v_charge.state := 'delivered';
          v_charge.delivered_at := v_now;
        end if;
      end if;
      if not v_found then
        for v_at in v_first .. cardinality(v_charges) loop
          if v_charges[v_at].seq = v_seq then
            v_charge := v_charges[v_at];
            v_found := true;
          end if;
        end loop;
      end if;
      if v_found then
        v_results := v_results || case when v_charge.state = 'voided' then jsonb_build_array(409)
                                       else jsonb_build_array(201, to_jsonb(v_charge)) end;
        continue;
      end if;
      if v_seq <= v_through[v_place] or (v_names[v_place] || ' ' || v_seq) = any(v_barred) then
        v_results := v_results || jsonb_build_array(409);
        continue;
      end if;

      v_place_of := array_position(v_tokens, v_ask ->> 'hash');
      v_at := array_position(v_ids, v_token_ids[v_place_of]);
      v_wallet := v_wallets[v_at];
      if v_at is null or v_wallet.status = 'closed' then
        v_results := v_results || jsonb_build_array(402);
        continue;
      end if;
      if v_wallet.status = 'frozen' then
        v_results := v_results || jsonb_build_array(403);
        continue;
      end if;
      v_sub_at := case when v_subs_of[v_place_of] is not null then v_place_of end;
      v_sub := null;
      if v_sub_at is not null then
        v_sub := v_subs[v_sub_at];
        if v_sub.ops is not null and not v_sub.ops::jsonb @> to_jsonb(v_ask ->> 'op') then
          v_results := v_results || jsonb_build_array(403, 'op');
          continue;
        end if;
      end if;

      if v_ask ->> 'key' is not null then
        v_found := false;
        select c.* into v_charge from charge as c
         where c.wallet_id = v_wallet.id and c.op = v_ask ->> 'op' and c.key_hash = v_ask ->> 'key'
           and c.key_hash is not null and c.state <> 'voided' and c.token_id is not distinct from v_sub.token_id;
        v_found := found;
        v_holder := array_position(v_names, v_charge.instance || ' ' || v_charge.boot);
        if v_found and v_charge.state = 'posted' and v_done[v_holder]
           and (v_charge.seq <= v_through[v_holder] or v_also[v_holder] @> to_jsonb(v_charge.seq)) then
          v_charge.state := 'delivered';
          v_charge.delivered_at := v_now;
        end if;
        if not v_found then
          select c.* into v_charge from unnest(v_charges) as c
           where c.wallet_id = v_wallet.id and c.op = v_ask ->> 'op' and c.key_hash = v_ask ->> 'key'
             and c.token_id is not distinct from v_sub.token_id;
          v_found := found;
        end if;
        if v_found then
          v_results := v_results || case when v_charge.req <> v_ask ->> 'req' then jsonb_build_array(422)
                                         when v_charge.state = 'posted' then jsonb_build_array(409)
                                         else jsonb_build_array(200, to_jsonb(v_charge)) end;
          continue;
        end if;
      end if;

      if v_wallet.promo_micro > 0 and v_wallet.promo_expires_at <= (p_context ->> 'expiry_time')::bigint then
        v_ent_used := v_ent_used + 1;
        v_promo := v_wallet.promo_micro;
        v_wallet.promo_micro := 0;
        v_entry := row(v_wallet.id, v_wallet.seq + 1, v_ent[v_ent_used], 'promo_expired', -v_promo, v_wallet.paid_micro,
                       null, null, null, null, v_now, v_wallet.head, null);
        v_wallet.seq := v_entry.seq;
        v_wallet.head := rail_entry_hash(v_entry, v_iso);
        v_wallets[v_at] := v_wallet;
        v_touched[v_at] := true;
        v_entries := v_entries || v_entry;
        v_transfers := v_transfers || row(v_entry.id || '.promo', v_entry.id, 'wallet:' || v_wallet.id || ':promo', 'promo:granted',
                                          v_promo, null, v_now, null, null)::transfer;
      end if;

      v_price := (v_ask ->> 'price')::bigint;
      v_balance := v_wallet.paid_micro + v_wallet.promo_micro;
      if v_balance < v_price then
        v_results := v_results || jsonb_build_array(402, v_balance);
        continue;
      end if;
      -- The fields of a missing token are null, and so are caps that are not set: `least` ignores them.
      v_spendable := null;
      if v_sub_at is not null or v_wallet.per_day_micro is not null or v_wallet.per_month_micro is not null
         or v_wallet.per_charge_micro is not null then
        v_spendable := greatest(0, least(
          v_balance,
          case when v_sub.per_charge_micro < v_price or v_wallet.per_charge_micro < v_price then 0 end,
          v_sub.total_micro - v_sub.spent_micro,
          rail_left(v_sub.per_month_micro, v_sub.month, v_sub.month_micro, v_sub.month_before_micro, v_month),
          rail_left(v_wallet.per_month_micro, v_wallet.month, v_wallet.month_micro, v_wallet.month_before_micro, v_month),
          rail_left(v_sub.per_day_micro, v_sub.day, v_sub.day_micro, v_sub.day_before_micro, v_day),
          rail_left(v_wallet.per_day_micro, v_wallet.day, v_wallet.day_micro, v_wallet.day_before_micro, v_day)));
        if v_spendable < v_price then
          v_results := v_results || (jsonb_build_array(403, v_sub.token_id, v_balance, v_spendable)
                                     || rail_reached_cap(v_wallet, v_sub, v_price, v_day, v_month));
          continue;
        end if;
      end if;

      v_ent_used := v_ent_used + 1;
      v_chg_used := v_chg_used + 1;
      v_promo := least(v_wallet.promo_micro, v_price);
      v_wallet.promo_micro := v_wallet.promo_micro - v_promo;
      v_wallet.paid_micro := v_wallet.paid_micro - (v_price - v_promo);
      if v_wallet.day = v_day and v_wallet.month = v_month then
        v_wallet.day_micro := v_wallet.day_micro + v_price;
        v_wallet.month_micro := v_wallet.month_micro + v_price;
      else
        v_count := rail_counted(v_wallet.day, v_wallet.day_micro, v_wallet.day_before_micro, v_day, v_price);
        v_wallet.day := v_count[1];
        v_wallet.day_micro := v_count[2];
        v_wallet.day_before_micro := v_count[3];
        v_count := rail_counted(v_wallet.month, v_wallet.month_micro, v_wallet.month_before_micro, v_month, v_price);
        v_wallet.month := v_count[1];
        v_wallet.month_micro := v_count[2];
        v_wallet.month_before_micro := v_count[3];
      end if;
      v_wallet.spent_micro := greatest(0, v_wallet.spent_micro + v_price);
      if v_sub_at is not null then
        if v_sub.day = v_day and v_sub.month = v_month then
          v_sub.day_micro := v_sub.day_micro + v_price;
          v_sub.month_micro := v_sub.month_micro + v_price;
        else
          v_count := rail_counted(v_sub.day, v_sub.day_micro, v_sub.day_before_micro, v_day, v_price);
          v_sub.day := v_count[1];
          v_sub.day_micro := v_count[2];
          v_sub.day_before_micro := v_count[3];
          v_count := rail_counted(v_sub.month, v_sub.month_micro, v_sub.month_before_micro, v_month, v_price);
          v_sub.month := v_count[1];
          v_sub.month_micro := v_count[2];
          v_sub.month_before_micro := v_count[3];
        end if;
        v_sub.spent_micro := greatest(0, v_sub.spent_micro + v_price);
        v_subs[v_sub_at] := v_sub;
        v_is_spent[v_sub_at] := true;
      end if;
      v_entry := row(v_wallet.id, v_wallet.seq + 1, v_ent[v_ent_used], 'charge', -v_price, v_balance - v_price,
                     v_chg[v_chg_used], null, null, v_ask ->> 'op', v_now, v_wallet.head, v_sub.token_id);
      v_charge := row(v_chg[v_chg_used], v_boot.instance, v_boot.boot, v_seq, v_wallet.id, 'posted', v_ask ->> 'op', 1,
                      v_ask ->> 'price_id', v_price, v_promo, p_context ->> 'revenue', v_ask ->> 'key', v_ask ->> 'idk',
                      v_ask ->> 'req', v_ask ->> 'res', p_context ->> 'issuer', p_context ->> 'kid', v_entry.id, v_entry.seq,
                      v_entry.balance_after_micro, v_entry.prev, v_now, null, null, null, v_sub.token_id, nullif(v_spendable, v_balance) - v_price);
      v_wallet.seq := v_entry.seq;
      v_wallet.head := rail_entry_hash(v_entry, v_iso);
      v_wallets[v_at] := v_wallet;
      v_touched[v_at] := true;
      v_entries := v_entries || v_entry;
      v_charges := v_charges || v_charge;
      if v_promo > 0 then
        v_transfers := v_transfers || row(v_entry.id || '.promo', v_entry.id, 'wallet:' || v_wallet.id || ':promo',
                                          v_charge.revenue, v_promo, null, v_now, null, null)::transfer;
      end if;
      if v_price > v_promo then
        v_transfers := v_transfers || row(v_entry.id || '.paid', v_entry.id, 'wallet:' || v_wallet.id || ':paid',
                                          v_charge.revenue, v_price - v_promo, null, v_now, null, null)::transfer;
      end if;
      if v_charge.key_hash is not null and v_ask ->> 'sealed' is not null then
        v_responses := v_responses || array[v_charge.id, v_ask ->> 'sealed'];
      end if;
      -- What whoever asked does not know: the rest of the row is the question.
      v_results := v_results || jsonb_build_array(201, v_charge.id, v_charge.wallet_id, v_promo, v_charge.entry_id,
                                                  v_charge.wallet_seq, v_charge.balance_after_micro, v_charge.prev,
                                                  v_charge.token_id, v_charge.spendable_micro);
    end loop;
    v_outcomes := v_outcomes || to_jsonb(v_results);
  end loop;

  -- Before new ones come: those are delivered later.
  update charge as c set state = 'delivered', delivered_at = v_now
   where c.ctid = any(array(
           select k.ctid from unnest(v_boots, v_through, v_done) as b (instance, boot, state, lease_until, before, through, done)
            cross join lateral (select d.ctid from charge as d
                                 where d.instance = b.instance and d.boot = b.boot and d.seq > b.before and d.seq <= b.through
                                   and d.state = 'posted' offset 0) as k
            where b.done
           union all
           select k.ctid from unnest(v_boots, v_through, v_done, v_also)
                           as b (instance, boot, state, lease_until, before, through, done, also)
            cross join jsonb_array_elements_text(b.also) as a (seq)
            cross join lateral (select d.ctid from charge as d
                                 where d.instance = b.instance and d.boot = b.boot and d.seq = a.seq::bigint
                                   and d.state = 'posted' offset 0) as k
            where b.done));
  insert into instance as i
    select b.instance, b.boot, b.state, v_lease, b.through
      from unnest(v_boots, v_through, v_done) as b (instance, boot, state, lease_until, before, through, done) where b.done
    on conflict (instance, boot) do update set through = excluded.through, lease_until = excluded.lease_until;

  insert into entry select * from unnest(v_entries);
  insert into transfer select * from unnest(v_transfers);
  insert into charge select * from unnest(v_charges);
  insert into response (charge_id, sealed, created_at)
    select v_responses[2 * n - 1], v_responses[2 * n], v_now from generate_series(1, cardinality(v_responses) / 2) as n;
  -- They are all there: inserting finds each by its key, whatever the planner thinks of joins.
  insert into wallet as w
    select w.id, w.status, w.paid_micro, w.promo_micro, w.promo_expires_at, w.seq, w.head, w.per_charge_micro, w.per_day_micro,
           w.per_month_micro, w.day, w.day_micro, w.day_before_micro, w.month, w.month_micro, w.month_before_micro, w.spent_micro
      from unnest(v_wallets, v_touched) as w (id, status, paid_micro, promo_micro, promo_expires_at, seq, head, per_charge_micro, per_day_micro, per_month_micro,
           day, day_micro, day_before_micro, month, month_micro, month_before_micro, spent_micro, is_touched)
     where w.is_touched
    on conflict (id) do update
      set paid_micro = excluded.paid_micro, promo_micro = excluded.promo_micro, seq = excluded.seq, head = excluded.head,
          day = excluded.day, day_micro = excluded.day_micro, day_before_micro = excluded.day_before_micro,
          month = excluded.month, month_micro = excluded.month_micro, month_before_micro = excluded.month_before_micro,
          spent_micro = excluded.spent_micro;
  if true = any(v_is_spent) then
    update token_budget as s
       set day = n.day, day_micro = n.day_micro, day_before_micro = n.day_before_micro,
           month = n.month, month_micro = n.month_micro, month_before_micro = n.month_before_micro, spent_micro = n.spent_micro
      from unnest(v_subs, v_is_spent, v_subs_at)
           as n (token_id, ops, per_charge_micro, per_day_micro, per_month_micro, total_micro,
                 day, day_micro, day_before_micro, month, month_micro, month_before_micro, spent_micro, is_spent, found_at)
     where n.is_spent and s.ctid = n.found_at;
    get diagnostics v_written = row_count;
    if v_written <> cardinality(array_positions(v_is_spent, true)) then
      raise exception 'a sub-token was changed without the lock of its wallet';
    end if;
  end if;
  -- In one order, so that two commits never wait crosswise for accounts that both change.
  insert into account as a (id, total_micro)
    select l.account, sum(l.micro)
      from (select credit as account, amount_micro as micro from unnest(v_transfers)
            union all select debit, -amount_micro from unnest(v_transfers)) as l
     where not starts_with(l.account, 'wallet:')
     group by l.account order by l.account
    on conflict (id) do update set total_micro = a.total_micro + excluded.total_micro;

  return jsonb_build_object('outcomes', to_jsonb(v_outcomes), 'ent', v_ent_used, 'chg', v_chg_used);
end $$;
