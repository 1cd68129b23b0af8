import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { RUN_KINDS, RUN_PHASES, RUN_STATES } from "@triptych/contracts/plain";
import { reposQuery, runPagesQuery } from "../api/queries.ts";
import { useTitle } from "../layout/title.ts";
import { Empty } from "../components/empty.tsx";
import { QueryBoundary } from "../components/query-boundary.tsx";
import { RunTable, RunTableSkeleton } from "../components/run-table.tsx";
import { STATE_LABELS } from "../labels/runs.ts";
import { t } from "../i18n.ts";

const route = getRouteApi("/runs");
const PHASE_LABELS = {
  active: t("In progress"),
  attention: t("Needs attention"),
  success: t("Succeeded"),
  failure: t("Failed"),
} as const;

export function Runs() {
  useTitle(t("Runs"));
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useInfiniteQuery(runPagesQuery({ ...search, limit: 50 }));
  const { data: repos } = useQuery(reposQuery());
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  const stateValue = search.phase === undefined ? (search.state ?? "") : `phase:${search.phase}`;
  return (
    <>
      <div className="head">
        <h1>{t("Runs")}</h1>
        <form role="search" aria-label={t("Filter")} className="row" onSubmit={(event) => event.preventDefault()}>
          <label>
            <span className="visually-hidden">{t("State")}</span>
            <select
              data-filter
              value={stateValue}
              onChange={({ target: { value } }) =>
                void navigate({
                  search: {
                    ...search,
                    phase: RUN_PHASES.find((candidate) => value === `phase:${candidate}`),
                    state: RUN_STATES.find((candidate) => candidate === value),
                  },
                })
              }
            >
              <option value="">{t("All states")}</option>
              <optgroup label={t("Outcome")}>
                {RUN_PHASES.map((option) => (
                  <option key={option} value={`phase:${option}`}>
                    {PHASE_LABELS[option]}
                  </option>
                ))}
              </optgroup>
              <optgroup label={t("State")}>
                {RUN_STATES.map((option) => (
                  <option key={option} value={option}>
                    {STATE_LABELS[option]}
                  </option>
                ))}
              </optgroup>
            </select>
          </label>
          <label>
            <span className="visually-hidden">{t("Repo")}</span>
            <select
              value={search.repo_id ?? ""}
              onChange={({ target: { value } }) =>
                void navigate({ search: { ...search, repo_id: value === "" ? undefined : value } })
              }
            >
              <option value="">{t("All repos")}</option>
              {(repos?.items ?? []).map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <label>
            <span className="visually-hidden">{t("Kind")}</span>
            <select
              value={search.kind ?? ""}
              onChange={({ target: { value } }) =>
                void navigate({ search: { ...search, kind: RUN_KINDS.find((candidate) => candidate === value) } })
              }
            >
              <option value="">{t("All kinds")}</option>
              <option value="maintain">{t("Maintain")}</option>
              <option value="explore">{t("noun|Explore")}</option>
            </select>
          </label>
          {isFiltered ? <Link to="/runs">{t("Show all")}</Link> : null}
        </form>
      </div>
      <QueryBoundary query={query} skeleton={<RunTableSkeleton rows={12} />}>
        {({ pages }) => {
          const runs = pages.flatMap(({ items }) => items);
          if (runs.length === 0)
            return isFiltered ? (
              <Empty why={t("No run matches the filter.")}>
                <Link to="/runs">{t("Show all runs")}</Link>
              </Empty>
            ) : (
              <Empty why={t("No runs yet. Start one from a repository.")}>
                <Link to="/repos">{t("Choose a repository")}</Link>
              </Empty>
            );
          return (
            <>
              <RunTable runs={runs} caption={t("Runs")} />
              {query.hasNextPage ? (
                <p>
                  <button type="button" disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                    {query.isFetchingNextPage ? t("Loading…") : t("Older runs")}
                  </button>
                </p>
              ) : null}
            </>
          );
        }}
      </QueryBoundary>
    </>
  );
}
