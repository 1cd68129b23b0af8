import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Run } from "@triptych/contracts";
import { candidatesQuery } from "../../api/queries.ts";
import { Empty } from "../../components/empty.tsx";
import { QueryBoundary } from "../../components/query-boundary.tsx";
import { Table, TableSkeleton } from "../../components/table.tsx";
import { plainText } from "../../labels/plain-text.ts";
import { percent } from "../../labels/format.ts";
import { CANDIDATE_STATE_LABELS, CATEGORY_LABELS } from "../../labels/repos.ts";
import { t } from "../../i18n.ts";

const COLUMNS = [
  { name: t("Score"), isNumber: true },
  { name: t("Candidate"), isWide: true },
  { name: t("Kind") },
  { name: t("State") },
];

export function FoundPanel({ run }: { readonly run: Run }) {
  const query = useQuery(candidatesQuery(run.repo_id, { state: "all" }));
  return (
    <QueryBoundary query={query} skeleton={<TableSkeleton columns={COLUMNS} rows={6} />}>
      {({ items }) => {
        const found = items.filter(({ explore_run_id }) => explore_run_id === run.id);
        if (found.length === 0)
          return (
            <Empty
              why={
                run.phase === "active"
                  ? t("Exploring. Candidates appear here once their gates have been run.")
                  : t("No new candidates.")
              }
            >
              {run.result === null || run.result.message === "" ? null : (
                <p className="lines soft" dir="auto">
                  {plainText(run.result.message)}
                </p>
              )}
            </Empty>
          );
        return (
          <Table caption={t("Candidates of this run")} columns={COLUMNS}>
            {found.map(({ id, score, title, category, state }) => (
              <tr key={id} className="opens">
                <td className="number">{percent(score)}</td>
                <td className="wide">
                  <Link
                    to="/repos/$id"
                    params={{ id: run.repo_id }}
                    search={{ tab: "candidates" }}
                    className="row-link"
                    data-item
                  >
                    <bdi>{title}</bdi>
                  </Link>
                </td>
                <td className="fit">{CATEGORY_LABELS[category]}</td>
                <td className="fit">{CANDIDATE_STATE_LABELS[state]}</td>
              </tr>
            ))}
          </Table>
        );
      }}
    </QueryBoundary>
  );
}
