-- Answers that are too large for the rail's sealed copy. `name` is a hash over wallet, operation and key, `res` the digest of the answer;
-- `ends_at` is milliseconds since 1970.
create table answer (
  name    text    not null,
  res     text    not null,
  sealed  text    not null,
  ends_at integer not null,
  primary key (name, res)
) strict;

create index answer_by_end on answer (ends_at);
