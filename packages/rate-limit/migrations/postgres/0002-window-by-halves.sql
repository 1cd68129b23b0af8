-- The same decision, of windows of thousands: which times have left is found by halves, and the rest is cut off in one piece. To make the
-- list anew, element by element, took 2.5 of the 2.9 ms of a request where 5,900 counted.
create or replace function rate_window_take(p_name text, p_limit integer, p_span bigint, p_now bigint)
returns table (at bigint, accepted integer, counted integer, oldest bigint) language plpgsql as $$
declare
  v_stamps bigint[];
  v_newest bigint;
  v_first  integer := 1;
  v_end    integer;
  v_middle integer;
begin
  -- A place lost with the whole server is forgotten in the caller's favour; waiting for the disk would cost each request a sync.
  perform set_config('synchronous_commit', 'off', true);
  loop
    select w.stamps into v_stamps from rate_window w where w.name = p_name for update;
    exit when found;
    insert into rate_window (name, stamps, ends_at) values (p_name, '{}', 0) on conflict (name) do nothing;
    -- Each new name takes two that have ended away: at most about twice the names of a span are held, without a timer. What
    -- somebody else holds is left; its row would come back at once, or is being removed. Two spans late: a clock may step back.
    delete from rate_window d where d.name in (
      select w.name from rate_window w
       where w.ends_at > 0 and w.ends_at <= coalesce(p_now, floor(extract(epoch from clock_timestamp()) * 1000)::bigint) - p_span
       order by w.ends_at limit 2 for update skip locked);
  end loop;
  at := coalesce(p_now, floor(extract(epoch from clock_timestamp()) * 1000)::bigint);

  -- A clock that stepped back takes the remembered times with it: distances stay, nobody waits longer than a span for it.
  v_newest := v_stamps[cardinality(v_stamps)];
  if v_newest > at then
    v_stamps := array(select s + at - v_newest from unnest(v_stamps) as t (s) order by s);
  end if;
  -- The first time that has not left: times rise.
  v_end := cardinality(v_stamps) + 1;
  while v_first < v_end loop
    v_middle := (v_first + v_end) / 2;
    if v_stamps[v_middle] <= at - p_span then v_first := v_middle + 1; else v_end := v_middle; end if;
  end loop;
  -- Where the limit was lowered, the newest count on.
  v_stamps := v_stamps[greatest(v_first, cardinality(v_stamps) - p_limit + 1):];

  accepted := (cardinality(v_stamps) < p_limit)::integer;
  if accepted = 1 then v_stamps := v_stamps || at; end if;
  update rate_window w set stamps = v_stamps, ends_at = (at / p_span + 2) * p_span where w.name = p_name;
  counted := cardinality(v_stamps);
  oldest := v_stamps[1];
  return next;
end $$;
