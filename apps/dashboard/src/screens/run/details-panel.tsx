import { Link } from "@tanstack/react-router";
import type { Run } from "@triptych/contracts";
import { CopyButton } from "../../components/copy.tsx";
import { Ago, DefinitionPair, Money, Sha } from "../../components/stat-values.tsx";
import { Table } from "../../components/table.tsx";
import { TextBlock } from "../../components/text-block.tsx";
import { counted, duration, grouped, money } from "../../labels/format.ts";
import { TRIGGER_LABELS } from "../../labels/runs.ts";

const COLUMNS = [
  { name: "Role" },
  { name: "Input tokens", isNumber: true },
  { name: "Cached", isNumber: true },
  { name: "Output tokens", isNumber: true },
  { name: "Turns", isNumber: true },
  { name: "Cost", isNumber: true },
];

export function DetailsPanel({ run }: { readonly run: Run }) {
  const { base, team, isolation, trigger, times, limits } = run;
  return (
    <div className="details">
      <dl className="pairs">
        <DefinitionPair name="Focus">
          <TextBlock text={run.focus} lines={8} />
        </DefinitionPair>
        <DefinitionPair name="Run">
          <code>{run.id}</code> <CopyButton text={run.id} name="run ID" isBare />
        </DefinitionPair>
        <DefinitionPair name="Started">
          {TRIGGER_LABELS[trigger.type]}, <Ago at={times.queued_at} />
          {trigger.retry_of === null ? null : (
            <>
              , retry of{" "}
              <Link to="/runs/$id" params={{ id: trigger.retry_of }}>
                an earlier run
              </Link>
            </>
          )}
        </DefinitionPair>
        <DefinitionPair name="Attempt">
          {run.attempt} of {run.max_attempts}
        </DefinitionPair>
        <DefinitionPair name="Base">
          {base.branch ?? "default branch"} {base.sha === null ? null : <Sha value={base.sha} name="base commit" />}
        </DefinitionPair>
        {run.branch === null ? null : (
          <DefinitionPair name="Branch">
            <code>{run.branch}</code> <CopyButton text={run.branch} name="branch" isBare />{" "}
            {run.head_sha === null ? null : <Sha value={run.head_sha} name="head commit" />}
          </DefinitionPair>
        )}
        <DefinitionPair name="Worker">
          {run.worker === null ? "none" : run.worker.name}, isolation {isolation.level}, network{" "}
          {isolation.network.replaceAll("_", " ")}
        </DefinitionPair>
        <DefinitionPair name="Team">
          {team.preset}, {counted(team.max_rounds, "round")}
          {team.members.map(({ role, cli, model, command }) => (
            <div key={`${role} ${cli}`}>
              {role}: {cli}
              {model === undefined ? "" : ` with ${model}`}{" "}
              {command === undefined ? null : <code>{command.join(" ")}</code>}
            </div>
          ))}
        </DefinitionPair>
        <DefinitionPair name="Limits">
          {duration(limits.timeout_s * 1_000)}, idle timeout {duration(limits.idle_timeout_s * 1_000)};{" "}
          {limits.max_cost_micro === null ? "no cost limit" : money(limits.max_cost_micro)};{" "}
          {limits.max_changed_files === null ? "any number of files" : counted(limits.max_changed_files, "file")};{" "}
          {limits.max_diff_lines === null ? "any number of lines" : counted(limits.max_diff_lines, "line")}
        </DefinitionPair>
        <DefinitionPair name="Memories">
          {run.memory_ids.length === 0 ? "none" : counted(run.memory_ids.length, "memory", "memories")}
        </DefinitionPair>
        <DefinitionPair name="Settings">
          revision {run.settings_revision} of{" "}
          <Link to="/repos/$id" params={{ id: run.repo_id }} search={{ tab: "settings" }}>
            {run.repo_name}
          </Link>
        </DefinitionPair>
      </dl>
      <UsageByRole usage={run.usage} />
    </div>
  );
}

function UsageByRole({ usage }: { readonly usage: Run["usage"] }) {
  const roles = Object.entries(usage.by_role).flatMap(([role, used]) =>
    used === undefined ? [] : [[role, used] as const],
  );
  if (roles.length === 0) return null;
  return (
    <Table caption="Usage by role" columns={COLUMNS}>
      {roles.map(([role, used]) => (
        <tr key={role}>
          <td>{role}</td>
          <td className="number">{grouped(used.input_tokens)}</td>
          <td className="number">{grouped(used.cached_tokens)}</td>
          <td className="number">{grouped(used.output_tokens)}</td>
          <td className="number">{grouped(used.turns)}</td>
          <td className="number">
            <Money micro={used.cost_micro} />
          </td>
        </tr>
      ))}
    </Table>
  );
}
