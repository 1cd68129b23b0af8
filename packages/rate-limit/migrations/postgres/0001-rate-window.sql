-- Windows of many processes: the times of the last accepted requests of a name, rising, at most as many as its limit. The row is also
-- the lock under which requests of one name are decided in turn. `ends_at` stands on a grid of its span, so that the index on it is
-- touched once a span and not by every request.
create table rate_window (
  name    text     not null primary key,
  stamps  bigint[] not null,
  ends_at bigint   not null
) with (fillfactor = 50);
create index rate_window_end on rate_window (ends_at);

-- Takes one place of a name, or refuses. `p_now` null = the clock of this server, read after the lock is held, so that the times of a
-- name rise in the order of its requests whatever the clocks of the processes say.
create function rate_window_take(p_name text, p_limit integer, p_span bigint, p_now bigint)
returns table (at bigint, accepted integer, counted integer, oldest bigint) language plpgsql as $$
declare
  v_stamps bigint[];
  v_newest bigint;
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
  v_stamps := array(select s from unnest(v_stamps) as t (s) where s > at - p_span order by s);
  -- Where the limit was lowered, the newest count on.
  v_stamps := v_stamps[greatest(1, cardinality(v_stamps) - p_limit + 1):];

  accepted := (cardinality(v_stamps) < p_limit)::integer;
  if accepted = 1 then v_stamps := v_stamps || at; end if;
  update rate_window w set stamps = v_stamps, ends_at = (at / p_span + 2) * p_span where w.name = p_name;
  counted := cardinality(v_stamps);
  oldest := v_stamps[1];
  return next;
end $$;
