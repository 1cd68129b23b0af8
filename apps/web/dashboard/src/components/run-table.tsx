/** The table of runs on every screen. */
import { Link } from "@tanstack/react-router";
import type { Run } from "@triptych/contracts";
import { grouped, short } from "../labels/format.ts";
import { firstLine } from "../labels/plain-text.ts";
import { outcomeOf, spentMs, TRIGGER_LABELS, waitsFor } from "../labels/runs.ts";
import { useNow } from "./watch.ts";
import { Ago, Duration, Money } from "./stat-values.tsx";
import { RunState } from "./state.tsx";
import { Table, TableSkeleton, type Column } from "./table.tsx";
import { t } from "../i18n.ts";

const REPO: Column = { name: t("Repo"), rank: "least" };
const COLUMNS: readonly Column[] = [
  { name: t("State") },
  REPO,
  { name: t("Focus"), isWide: true },
  { name: t("Result"), rank: "high" },
  { name: t("Change"), isNumber: true, rank: "high" },
  { name: t("Trigger"), rank: "mid" },
  { name: t("Worker"), rank: "mid" },
  { name: t("Duration"), isNumber: true, rank: "low" },
  { name: t("Tokens"), isNumber: true, rank: "mid" },
  { name: t("Cost"), isNumber: true, rank: "mid" },
  { name: t("Age"), isNumber: true, rank: "low" },
];

interface RunTableProps {
  readonly runs: readonly Run[];
  readonly caption: string;
  readonly isWithoutRepo?: boolean;
}

export function RunTable({ runs, caption, isWithoutRepo = false }: RunTableProps) {
  return (
    <Table caption={caption} columns={columnsOf(isWithoutRepo)}>
      {runs.map((run) => (
        <RunRow key={run.id} run={run} isWithoutRepo={isWithoutRepo} />
      ))}
    </Table>
  );
}

export function RunTableSkeleton({
  rows,
  isWithoutRepo = false,
}: {
  readonly rows: number;
  readonly isWithoutRepo?: boolean;
}) {
  return <TableSkeleton columns={columnsOf(isWithoutRepo)} rows={rows} />;
}

function columnsOf(isWithoutRepo: boolean): readonly Column[] {
  return isWithoutRepo ? COLUMNS.filter((column) => column !== REPO) : COLUMNS;
}

function RunRow({ run, isWithoutRepo }: { readonly run: Run; readonly isWithoutRepo: boolean }) {
  const now = useNow();
  const tokens = run.usage.input_tokens + run.usage.output_tokens;
  const focus = run.kind === "explore" ? t("noun|Explore") : firstLine(run.focus);
  return (
    <tr className="opens">
      <td className="fit">
        <RunState run={run} />
      </td>
      {isWithoutRepo ? null : <td className="fit clip least">{run.repo_name}</td>}
      <td className="wide">
        <Link to="/runs/$id" params={{ id: run.id }} className="row-link" data-item title={run.focus}>
          <bdi>{focus}</bdi>
        </Link>
        <span className="under soft">
          {isWithoutRepo ? null : <>{run.repo_name}, </>}
          <Ago at={run.times.queued_at} />
        </span>
        {run.state === "queued" ? <span className="soft"> {waitsFor(run.queue_reason, run)}</span> : null}
      </td>
      <td className="fit high result">{outcomeOf(run)?.sentence ?? <span className="soft">–</span>}</td>
      <td className="number high">{sizeOf(run.diff) ?? <span className="soft">–</span>}</td>
      <td className="fit mid">{TRIGGER_LABELS[run.trigger.type]}</td>
      <td className="fit mid clip">{run.worker?.name ?? <span className="soft">–</span>}</td>
      <td className="number low">
        <Duration ms={spentMs(run, now)} />
      </td>
      <td className="number mid">{tokens === 0 ? <span className="soft">–</span> : short(tokens)}</td>
      <td className="number mid">
        {run.usage.cost_micro === null ? <span className="soft">–</span> : <Money micro={run.usage.cost_micro} />}
      </td>
      <td className="number low">
        <Ago at={run.times.queued_at} />
      </td>
    </tr>
  );
}

function sizeOf(diff: Run["diff"]): string | null {
  if (diff === null || diff.files === 0) return null;
  const { insertions, deletions } = diff;
  return `+${grouped(insertions)} −${grouped(deletions)}`;
}
