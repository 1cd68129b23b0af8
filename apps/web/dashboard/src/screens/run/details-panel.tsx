import { Link } from "@tanstack/react-router";
import type { Run } from "@triptych/contracts";
import { CopyButton } from "../../components/copy.tsx";
import { Ago, DefinitionPair, Money, Sha } from "../../components/stat-values.tsx";
import { Table } from "../../components/table.tsx";
import { TextBlock } from "../../components/text-block.tsx";
import { NETWORK_LABELS } from "../../labels/repos.ts";
import { duration, grouped, money } from "../../labels/format.ts";
import { ROLE_LABELS, roleLabel } from "../../labels/bus.ts";
import { TRIGGER_LABELS } from "../../labels/runs.ts";
import { plural, t } from "../../i18n.ts";
import { rich } from "../../components/rich.tsx";

const COLUMNS = [
  { name: t("Role") },
  { name: t("Input tokens"), isNumber: true },
  { name: t("Cached"), isNumber: true },
  { name: t("Output tokens"), isNumber: true },
  { name: t("Turns"), isNumber: true },
  { name: t("Cost"), isNumber: true },
];

export function DetailsPanel({ run }: { readonly run: Run }) {
  const { base, team, isolation, limits } = run;
  return (
    <div className="details">
      <dl className="pairs">
        <DefinitionPair name={t("Focus")}>
          <TextBlock text={run.focus} lines={8} />
        </DefinitionPair>
        <DefinitionPair name={t("Run")}>
          <code>{run.id}</code> <CopyButton text={run.id} name={t("run ID")} isBare />
        </DefinitionPair>
        <DefinitionPair name={t("Started")}>
          <Trigger run={run} />
        </DefinitionPair>
        <DefinitionPair name={t("Attempt")}>
          {t("{value} of {limit}", { value: run.attempt, limit: run.max_attempts })}
        </DefinitionPair>
        <DefinitionPair name={t("Base")}>
          {base.branch ?? t("default branch")}{" "}
          {base.sha === null ? null : <Sha value={base.sha} name={t("base commit")} />}
        </DefinitionPair>
        {run.branch === null ? null : (
          <DefinitionPair name={t("Branch")}>
            <code>{run.branch}</code> <CopyButton text={run.branch} name={t("branch")} isBare />{" "}
            {run.head_sha === null ? null : <Sha value={run.head_sha} name={t("head commit")} />}
          </DefinitionPair>
        )}
        <DefinitionPair name={t("Worker")}>
          {t("{worker}, isolation {isolation}, network {network}", {
            worker: run.worker === null ? t("none") : run.worker.name,
            isolation: isolation.level,
            network: NETWORK_LABELS[isolation.network],
          })}
        </DefinitionPair>
        <DefinitionPair name={t("Team")}>
          {team.preset}, {plural(team.max_rounds, "{count} round", "{count} rounds")}
          {team.members.map(({ role, cli, model, command }) => (
            <div key={`${role} ${cli}`}>
              {ROLE_LABELS[role]}: {model === undefined ? cli : t("{cli} with {model}", { cli, model })}{" "}
              {command === undefined ? null : <code>{command.join(" ")}</code>}
            </div>
          ))}
        </DefinitionPair>
        <DefinitionPair name={t("Limits")}>
          <Limits limits={limits} />
        </DefinitionPair>
        <DefinitionPair name={t("Memories")}>
          {run.memory_ids.length === 0
            ? t("feminine|none")
            : plural(run.memory_ids.length, "{count} memory", "{count} memories")}
        </DefinitionPair>
        <DefinitionPair name={t("Settings")}>
          {rich(t("revision {revision} of {repo}"), {
            revision: run.settings_revision,
            repo: (
              <Link to="/repos/$id" params={{ id: run.repo_id }} search={{ tab: "settings" }}>
                {run.repo_name}
              </Link>
            ),
          })}
        </DefinitionPair>
      </dl>
      <UsageByRole usage={run.usage} />
    </div>
  );
}

function Trigger({ run: { trigger, times } }: { readonly run: Run }) {
  return (
    <>
      {TRIGGER_LABELS[trigger.type]}, <Ago at={times.queued_at} />
      {trigger.retry_of === null ? null : (
        <>
          ,{" "}
          {rich(t("retry of <run>an earlier run</run>"), {
            run: <Link to="/runs/$id" params={{ id: trigger.retry_of ?? "" }} />,
          })}
        </>
      )}
    </>
  );
}

function Limits({ limits }: { readonly limits: Run["limits"] }) {
  return (
    <>
      {t("{limit}, idle timeout {idle}", {
        limit: duration(limits.timeout_s * 1_000),
        idle: duration(limits.idle_timeout_s * 1_000),
      })}
      ; {limits.max_cost_micro === null ? t("no cost limit") : money(limits.max_cost_micro)};{" "}
      {limits.max_changed_files === null
        ? t("any number of files")
        : plural(limits.max_changed_files, "{count} file", "{count} files")}
      ;{" "}
      {limits.max_diff_lines === null
        ? t("any number of lines")
        : plural(limits.max_diff_lines, "{count} line", "{count} lines")}
    </>
  );
}

function UsageByRole({ usage }: { readonly usage: Run["usage"] }) {
  const roles = Object.entries(usage.by_role).flatMap(([role, used]) =>
    used === undefined ? [] : [[role, used] as const],
  );
  if (roles.length === 0) return null;
  return (
    <Table caption={t("Usage by role")} columns={COLUMNS}>
      {roles.map(([role, used]) => (
        <tr key={role}>
          <td>{roleLabel(role)}</td>
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
