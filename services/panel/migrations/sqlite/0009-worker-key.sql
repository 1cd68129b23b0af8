-- Which generation of the licence key a worker was last known to hold: true of it also while it is not connected.
alter table worker add column key_generation integer;
