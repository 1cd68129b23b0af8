-- What agents of an account used, by day (its first millisecond, in UTC): sums of what was told, added in the commit that told it.
create table usage_daily (
  owner         text    not null,
  day           integer not null,
  agent_ms      integer not null,
  input_tokens  integer not null,
  output_tokens integer not null,
  cost_micro    integer not null,
  primary key (owner, day)
) strict, without rowid;
