-- For the merge rate and the cost of a merged pull request. A run that opened a pull request has its end, as the panel saw it.
alter table run add column pr_outcome text check (pr_outcome in ('merged', 'closed'));
alter table run add column pr_ended_at bigint;
-- Micro-euros; null: unknown, or written by an older node.
alter table run add column cost_micro bigint;

-- When earlier pull requests ended was not recorded: they count for the day of their run.
update run
set pr_outcome = facts::jsonb -> 'pr' ->> 'state', pr_ended_at = ended_at
where facts::jsonb -> 'pr' ->> 'state' in ('merged', 'closed') and run_order::jsonb -> 'followUp' is null;
update run
set cost_micro = case
  when facts::jsonb -> 'usage' ->> 'cost_micro' is not null then (facts::jsonb -> 'usage' ->> 'cost_micro')::bigint
  when (facts::jsonb -> 'usage' ->> 'input_tokens')::bigint + (facts::jsonb -> 'usage' ->> 'output_tokens')::bigint
    + (facts::jsonb -> 'usage' ->> 'turns')::bigint = 0 then 0
end;
