-- What agents of an account used, by day (its first millisecond, in UTC): sums of what was told, added in the commit that told it.
create table usage_daily (
  owner         text    not null,
  day           bigint not null,
  agent_ms      bigint not null,
  input_tokens  bigint not null,
  output_tokens bigint not null,
  cost_micro    bigint not null,
  primary key (owner, day)
);
