-- For the merge rate and the cost of a merged pull request. A run that opened a pull request has its end, as the panel saw it.
alter table run add column pr_outcome text check (pr_outcome in ('merged', 'closed'));
alter table run add column pr_ended_at integer;
-- Micro-euros; null: unknown, or written by an older node.
alter table run add column cost_micro integer;

-- When earlier pull requests ended was not recorded: they count for the day of their run.
update run
set pr_outcome = json_extract(facts, '$.pr.state'), pr_ended_at = ended_at
where json_extract(facts, '$.pr.state') in ('merged', 'closed') and json_extract(run_order, '$.followUp') is null;
update run
set cost_micro = case
  when json_extract(facts, '$.usage.cost_micro') is not null then json_extract(facts, '$.usage.cost_micro')
  when json_extract(facts, '$.usage.input_tokens') + json_extract(facts, '$.usage.output_tokens')
    + json_extract(facts, '$.usage.turns') = 0 then 0
end;
