-- What a state asks for outside the store is a row of `effect`, and what waits for a worker a row of `run`: nobody read these.
drop table outbox;

create index run_unended on run (state)
  where state in ('queued', 'leased', 'preparing', 'running', 'verifying', 'pushing', 'pushed');
