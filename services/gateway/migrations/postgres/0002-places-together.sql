-- Places of one name for several calls at once: those that wait for the same wallet cost one statement together. The first place is taken
-- as the windows take it, which leaves the row locked and what is past left out; the others, as many as the limit still allows, get its
-- time, at which they would all have been decided. `accepted` and `counted` are those of all of them.
create function take_places(p_name text, p_limit integer, p_span bigint, p_count integer, p_now bigint)
returns table (at bigint, accepted integer, counted integer, oldest bigint) language plpgsql as $$
declare
  v_more integer;
begin
  select w.at, w.accepted, w.counted, w.oldest into at, accepted, counted, oldest
    from rate_window_take(p_name, p_limit, p_span, p_now) w;
  v_more := least(p_count - 1, p_limit - counted);
  if accepted = 1 and v_more > 0 then
    update rate_window w set stamps = w.stamps || array_fill(at, array[v_more]) where w.name = p_name;
    accepted := accepted + v_more;
    counted := counted + v_more;
  end if;
  return next;
end $$;
