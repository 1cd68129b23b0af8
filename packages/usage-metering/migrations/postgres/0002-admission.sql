-- Admission for any number of processes. The minute window of each key: the times of its last accepted requests, rising, at most as
-- many as its limit. The row is also the lock under which everything of one key is decided in turn.
create table usage_window (
  key_id text     not null primary key,
  stamps bigint[] not null
) with (fillfactor = 50);

-- Items that running requests may still send. Their process renews what it holds; what it no longer renews ends by itself.
create table usage_reservation (
  key_id     text   not null,
  id         text   not null,
  day        text   not null,
  items      bigint not null,
  expires_at bigint not null,
  primary key (key_id, id)
);

create function metering_now() returns bigint language sql volatile as $$
  select floor(extract(epoch from clock_timestamp()) * 1000)::bigint
$$;

-- Takes the lock of a key, making its row at the first request.
create function metering_lock(p_key text) returns bigint[] language plpgsql as $$
declare v_stamps bigint[];
begin
  loop
    select w.stamps into v_stamps from usage_window w where w.key_id = p_key for update;
    if found then return v_stamps; end if;
    insert into usage_window (key_id, stamps) values (p_key, '{}') on conflict (key_id) do nothing;
  end loop;
end $$;

-- Admits one request, or refuses it: the exact window, then the reservation of items. `p_now` null = the clock of this server, read
-- after the lock is held, so that the times of a key rise in the order of its requests whatever the clocks of the processes say.
create function metering_admit(
  p_key text, p_limit integer, p_cap bigint, p_wanted bigint, p_reservation text, p_lease bigint, p_now bigint
) returns table (at bigint, accepted integer, counted integer, oldest bigint, used bigint, reserved bigint, granted bigint)
language plpgsql as $$
declare
  v_stamps bigint[];
  v_newest bigint;
  v_day    text;
begin
  -- An admission lost with the whole server is forgotten in the customer's favour; waiting for the disk here would cost each
  -- request a sync. Booking (metering_settle) does wait.
  perform set_config('synchronous_commit', 'off', true);
  v_stamps := metering_lock(p_key);
  at := coalesce(p_now, metering_now());

  -- A clock that stepped back takes the remembered times with it: distances stay, nobody waits longer than a minute for it.
  v_newest := v_stamps[cardinality(v_stamps)];
  if v_newest > at then
    v_stamps := array(select s + at - v_newest from unnest(v_stamps) as t (s) order by s);
  end if;
  v_stamps := array(select s from unnest(v_stamps) as t (s) where s > at - 60000 order by s);
  -- Where the limit was lowered, the newest count on.
  v_stamps := v_stamps[greatest(1, cardinality(v_stamps) - p_limit + 1):];

  accepted := (cardinality(v_stamps) < p_limit)::integer;
  if accepted = 1 then v_stamps := v_stamps || at; end if;
  update usage_window w set stamps = v_stamps where w.key_id = p_key;
  counted := cardinality(v_stamps);
  oldest := v_stamps[1];

  -- One statement, one snapshot: a settling request is seen either as reserved or as used, never as both or neither.
  v_day := to_char(to_timestamp(at / 1000) at time zone 'UTC', 'YYYY-MM-DD');
  select coalesce((select d.items from usage_day d where d.key_id = p_key and d.day = v_day), 0),
         coalesce((select sum(r.items)::bigint from usage_reservation r
                    where r.key_id = p_key and r.day = v_day and r.expires_at > at), 0)
    into used, reserved;

  granted := 0;
  if accepted = 1 then
    granted := case when p_cap is null then p_wanted else least(p_wanted, greatest(0, p_cap - used - reserved)) end;
    if p_cap is not null and granted > 0 then
      delete from usage_reservation r where r.key_id = p_key and r.expires_at <= at;
      insert into usage_reservation (key_id, id, day, items, expires_at) values (p_key, p_reservation, v_day, granted, at + p_lease);
    end if;
  end if;
  return next;
end $$;

-- Micro-euros of the first p_count items of a month. The same law as priceOf in price.ts; a test holds them together.
create function metering_price(p_tiers jsonb, p_count bigint) returns bigint language sql immutable as $$
  select coalesce(sum(greatest(0, least(p_count, coalesce(tier.until, p_count)) - tier.after) * tier.price), 0)::bigint
    from (select (t ->> 'up_to')::bigint as until,
                 coalesce(lag((t ->> 'up_to')::bigint) over (order by place), 0) as after,
                 (t ->> 'price_micro')::bigint as price
            from jsonb_array_elements(p_tiers) with ordinality as list (t, place)) as tier
$$;

-- Booking waits for a closing of days that is under way, and the other way round: no row slips into a day after it was closed.
create function metering_days_lock() returns integer language sql volatile as $$
  select hashtext('triptych metering days of ' || current_schema())
$$;

-- Books one row and its sums, and ends its reservation. False: it was booked before, nothing was done.
create function metering_settle(p_row jsonb, p_tiers jsonb, p_now bigint) returns boolean
language plpgsql as $$
declare
  r        usage_row;
  v_before bigint;
begin
  r := jsonb_populate_record(null::usage_row, p_row);
  -- The lock of the key: its place in the price tiers of the month is read and moved by one booking at a time.
  perform metering_lock(r.key_id);
  perform pg_advisory_xact_lock_shared(metering_days_lock());

  delete from usage_reservation v where v.key_id = r.key_id and v.id = r.id;
  if exists (select 1 from usage_row u where u.key_id = r.key_id and u.id = r.id) then return false; end if;

  if exists (select 1 from usage_closed_day c where c.day = r.day) then
    r.day := to_char(to_timestamp(coalesce(p_now, metering_now()) / 1000) at time zone 'UTC', 'YYYY-MM-DD');
  end if;

  -- A correction brings its own amount.
  if r.requests = 1 then
    r.amount_micro := 0;
  end if;
  if r.billed_items > 0 then
    select coalesce(sum(d.billed_items), 0) into v_before from usage_day d
     where d.key_id = r.key_id and d.day between left(r.day, 7) || '-01' and left(r.day, 7) || '-31';
    r.amount_micro := metering_price(p_tiers, v_before + r.billed_items) - metering_price(p_tiers, v_before);
  end if;

  insert into usage_row select r.*;
  insert into usage_day as d (key_id, day, requests, items, billed_items, bytes, geo_requests, amount_micro)
  values (r.key_id, r.day, r.requests, r.items, r.billed_items, r.bytes, r.geo, r.amount_micro)
  on conflict (key_id, day) do update set
    requests     = d.requests     + excluded.requests,
    items        = d.items        + excluded.items,
    billed_items = d.billed_items + excluded.billed_items,
    bytes        = d.bytes        + excluded.bytes,
    geo_requests = d.geo_requests + excluded.geo_requests,
    amount_micro = d.amount_micro + excluded.amount_micro;
  return true;
end $$;

create function metering_close_day(p_day text, p_at bigint) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(metering_days_lock());
  insert into usage_closed_day (day, closed_at) values (p_day, p_at) on conflict (day) do nothing;
end $$;
