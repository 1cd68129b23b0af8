-- A table that points at itself: rows of a copy cannot always come parents first.
create table branch (
  id        text primary key,
  parent_id text references branch (id)
) strict;
