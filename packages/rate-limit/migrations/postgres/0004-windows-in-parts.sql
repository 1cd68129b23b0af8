-- Windows of thousands, of which a request touches dozens. A list of all times was written anew with each request: of 7,500 in a minute
-- that was 60 KB for the table and as much for the log, which the next commit that waits for the disk had to carry.
--
-- The times of a name, rising: `leaving`, then those of its parts by number, then `stamps`. A part is full when it is put away, and is
-- read when it is its turn to leave.
alter table rate_window
  add column leaving    bigint[] not null default '{}',
  add column first_part bigint   not null default 0,
  add column next_part  bigint   not null default 0,
  add column in_parts   integer  not null default 0;
-- As `stamps` since 0003, for lists of thousands that come from there, and for parts of a great many calls at once.
alter table rate_window alter column leaving set storage external;

-- Read and written under the lock of the name's row only.
create table rate_window_part (
  name   text     not null references rate_window (name) on delete cascade,
  number bigint   not null,
  stamps bigint[] not null,
  primary key (name, number)
);
alter table rate_window_part alter column stamps set storage external;

-- Takes as many places of a name as are asked for and there are. `accepted` and `counted` are those of all of them. `p_now` null = the
-- clock of this server, read after the lock is held, so that the times of a name rise in the order of its requests whatever the clocks of
-- the processes say.
create function rate_window_take_many(p_name text, p_limit integer, p_span bigint, p_count integer, p_now bigint)
returns table (at bigint, accepted integer, counted integer, oldest bigint) language plpgsql as $$
declare
  -- Short enough for the row to stay in its page, long enough for parts to be rare.
  v_part_size constant integer := 64;
  v_leaving bigint[];
  v_stamps  bigint[];
  v_first   bigint;
  v_next    bigint;
  v_parts   integer;
  v_back    bigint;
  v_over    integer;
  v_gone    integer;
begin
  -- A place lost with the whole server is forgotten in the caller's favour; waiting for the disk would cost each request a sync.
  perform set_config('synchronous_commit', 'off', true);
  loop
    select w.leaving, w.stamps, w.first_part, w.next_part, w.in_parts into v_leaving, v_stamps, v_first, v_next, v_parts
      from rate_window w where w.name = p_name for update;
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
  v_back := coalesce(v_stamps[cardinality(v_stamps)], v_leaving[cardinality(v_leaving)]) - at;
  if v_back > 0 then
    v_leaving := array(select s - v_back from unnest(v_leaving) as t (s) order by s);
    v_stamps := array(select s - v_back from unnest(v_stamps) as t (s) order by s);
    update rate_window_part p set stamps = array(select s - v_back from unnest(p.stamps) as t (s) order by s) where p.name = p_name;
  end if;

  loop
    -- Where the limit was lowered, the newest count on.
    v_over := cardinality(v_leaving) + v_parts + cardinality(v_stamps) - p_limit;
    v_gone := 0;
    while v_gone < v_over or v_leaving[v_gone + 1] <= at - p_span loop
      exit when v_gone = cardinality(v_leaving);
      v_gone := v_gone + 1;
    end loop;
    if v_gone > 0 then v_leaving := v_leaving[v_gone + 1:]; end if;
    exit when cardinality(v_leaving) > 0 or v_parts + cardinality(v_stamps) = 0;
    if v_parts = 0 then
      v_leaving := v_stamps;
      v_stamps := '{}';
    else
      delete from rate_window_part p where p.name = p_name and p.number = v_first returning p.stamps into strict v_leaving;
      v_first := v_first + 1;
      v_parts := v_parts - cardinality(v_leaving);
    end if;
  end loop;

  counted := cardinality(v_leaving) + v_parts + cardinality(v_stamps);
  accepted := greatest(0, least(p_count, p_limit - counted));
  if accepted > 0 then
    if cardinality(v_stamps) >= v_part_size then
      insert into rate_window_part (name, number, stamps) values (p_name, v_next, v_stamps);
      v_next := v_next + 1;
      v_parts := v_parts + cardinality(v_stamps);
      v_stamps := '{}';
    end if;
    v_stamps := v_stamps || array_fill(at, array[accepted]);
    counted := counted + accepted;
  end if;
  update rate_window w
     set leaving = v_leaving, stamps = v_stamps, first_part = v_first, next_part = v_next, in_parts = v_parts,
         ends_at = (at / p_span + 2) * p_span
   where w.name = p_name;
  oldest := coalesce(v_leaving[1], v_stamps[1]);
  return next;
end $$;

-- For processes of the version before, which run on while this one is rolled out, and add further places to `stamps` themselves.
create or replace function rate_window_take(p_name text, p_limit integer, p_span bigint, p_now bigint)
returns table (at bigint, accepted integer, counted integer, oldest bigint) language sql as $$
  select * from rate_window_take_many(p_name, p_limit, p_span, 1, p_now)
$$;
