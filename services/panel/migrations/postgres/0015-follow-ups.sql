-- An open pull request that is watched, by the run that opened it. A follow-up run is written in the commit that names it here.
create table pr_watch (
  owner         text    not null,
  run_id        text    not null,
  repo_id       text    not null,
  pr_number     integer not null,
  state         text    not null check (state in ('watching', 'ended')),
  next_at       bigint not null,
  leased_by     text,
  lease_until   bigint not null,
  active_run_id text,
  -- JSON of what was seen, attempted and commented; null before the first poll.
  seen          text,
  primary key (owner, run_id)
);
create index pr_watch_due on pr_watch (next_at) where state = 'watching';
create index pr_watch_repo on pr_watch (owner, repo_id) where state = 'watching';

-- A person is needed although the state is final: follow-ups are exhausted.
alter table run add column needs_attention integer not null default 0;

insert into pr_watch (owner, run_id, repo_id, pr_number, state, next_at, lease_until)
select r.owner, r.id, r.repo_id, (r.facts::jsonb -> 'pr' ->> 'number')::integer, 'watching', 0, 0
from run r join effect e on e.owner = r.owner and e.run_id = r.id and e.kind = 'pr' and e.state = 'watching'
where r.state = 'pr_open' and r.facts::jsonb -> 'pr' ->> 'number' is not null;
