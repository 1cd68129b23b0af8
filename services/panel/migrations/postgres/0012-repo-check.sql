-- The last check of a repo's commands: a worker runs setup and verify command once, without an agent.
create table repo_check (
  owner        text    not null,
  repo_id      text    not null,
  id           text    not null,
  state        text    not null check (state in ('pending', 'running', 'passed', 'failed', 'unavailable')),
  attempts     integer not null check (attempts >= 0),
  worker_id    text,
  -- When a running check is taken from its worker.
  deadline     bigint ,
  message      text,
  setup        text,
  verify       text,
  requested_at bigint  not null,
  checked_at   bigint ,
  primary key (owner, repo_id)
);
create index repo_check_pending on repo_check (owner, requested_at) where state = 'pending';
create index repo_check_running on repo_check (deadline) where state = 'running';

-- Hosts that the lock file of a repo names for its downloads, from the first contact.
alter table contact add column hosts text not null default '[]';
