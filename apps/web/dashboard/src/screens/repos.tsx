import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import type { Repo } from "@triptych/contracts";
import { call } from "../api/call.ts";
import { startRun } from "../api/endpoints.ts";
import { accountQuery, reposQuery } from "../api/queries.ts";
import { useTitle } from "../layout/title.ts";
import { isLoopback } from "../api/connection-status.ts";
import { ActionButton } from "../components/action-button.tsx";
import { Empty } from "../components/empty.tsx";
import { Ago, Money } from "../components/stat-values.tsx";
import { QueryBoundary } from "../components/query-boundary.tsx";
import { StateLabel } from "../components/state.tsx";
import { Table, TableSkeleton, type Column } from "../components/table.tsx";
import { percent } from "../labels/format.ts";
import { runRefusalOf, REPO_STATUS_LABELS, REPO_TONES, PROVIDER_LABELS } from "../labels/repos.ts";
import { endTone, STATE_LABELS } from "../labels/runs.ts";
import { AddressForm } from "./new-repo.tsx";
import { plural, t } from "../i18n.ts";
import { rich } from "../components/rich.tsx";

const route = getRouteApi("/repos");
const COLUMNS: readonly Column[] = [
  { name: t("Status") },
  { name: t("Name"), isWide: true },
  { name: t("Provider"), rank: "mid" },
  { name: t("Last run"), rank: "low" },
  { name: t("Open PRs"), isNumber: true, rank: "mid" },
  { name: t("Success, 30 days"), isNumber: true, rank: "mid" },
  { name: t("Merged, 30 days"), isNumber: true, rank: "high" },
  { name: t("Per merged PR"), isNumber: true, rank: "high" },
  { name: t("Next run"), isNumber: true, rank: "low" },
  { name: t("verb|Run"), isUnnamed: true, isNumber: true },
];

export function Repos() {
  useTitle(t("Repos"));
  const { q } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(reposQuery(q === undefined ? {} : { q }));
  const { data: account } = useQuery(accountQuery);
  const isFull = account !== undefined && account.usage.repos >= account.plan.limits.repos;
  return (
    <>
      <div className="head">
        <h1>{t("Repos")}</h1>
        <form role="search" aria-label={t("Filter")} className="row" onSubmit={(event) => event.preventDefault()}>
          <input
            type="search"
            data-filter
            aria-label={t("Name or address")}
            placeholder={`${t("Name or address")}  ( / )`}
            defaultValue={q ?? ""}
            maxLength={100}
            onChange={({ target: { value } }) =>
              void navigate({ search: { q: value === "" ? undefined : value }, replace: true })
            }
          />
        </form>
        <div className="actions">
          {isFull ? (
            <span className="soft">
              {plural(account.plan.limits.repos, "The plan allows {count} repo.", "The plan allows {count} repos.")}
            </span>
          ) : null}
          <Link to="/repos/new" className="button">
            {t("Add a repo")}
          </Link>
        </div>
      </div>
      <QueryBoundary query={query} skeleton={<TableSkeleton columns={COLUMNS} rows={8} />}>
        {({ items }) => {
          if (items.length > 0)
            return (
              <Table caption={t("Repos")} columns={COLUMNS}>
                {items.map((repo) => (
                  <RepoRow key={repo.id} repo={repo} />
                ))}
              </Table>
            );
          if (q !== undefined)
            return (
              <Empty why={t("No repo has “{q}” in its name or address.", { q })}>
                <Link to="/repos">{t("Show all")}</Link>
              </Empty>
            );
          return (
            <Empty
              why={t("No repos yet. Add one by its address; with a token that can push, runs open pull requests.")}
            >
              <AddressForm
                onMade={(id) => void navigate({ to: "/repos/$id", params: { id }, search: { tab: undefined } })}
              />
              {isLoopback() ? (
                <p className="soft">
                  {rich(
                    t(
                      "To try it first, sign in to the demo account (<code>owner@example.test</code>, password in <code>credentials.json</code>). It has a repository, a finished run and candidates.",
                    ),
                  )}
                </p>
              ) : null}
            </Empty>
          );
        }}
      </QueryBoundary>
    </>
  );
}

function RepoRow({ repo }: { readonly repo: Repo }) {
  const navigate = useNavigate();
  const { id, name, provider, status, status_reason, stats } = repo;
  const [next = null] = repo.next_runs;
  const refusal = runRefusalOf(repo);
  return (
    <tr className="opens">
      <td className="fit" title={status_reason ?? undefined}>
        <StateLabel tone={REPO_TONES[status]}>{REPO_STATUS_LABELS[status]}</StateLabel>
      </td>
      <td className="wide">
        <Link to="/repos/$id" params={{ id }} search={{ tab: undefined }} className="row-link" data-item>
          <bdi>{name}</bdi>
        </Link>
        {status_reason === null ? null : <span className="soft"> {status_reason}</span>}
      </td>
      <td className="fit mid">{PROVIDER_LABELS[provider]}</td>
      <td className="fit low">
        {stats.last_run_state === null || stats.last_run_id === null ? (
          <span className="soft">{t("none")}</span>
        ) : (
          <Link to="/runs/$id" params={{ id: stats.last_run_id }} className="above">
            <StateLabel tone={endTone(stats.last_run_state)}>{STATE_LABELS[stats.last_run_state]}</StateLabel>
          </Link>
        )}
      </td>
      <td className="number mid">{stats.open_prs}</td>
      <td className="number mid">
        {stats.success_rate_30d === null ? <span className="soft">–</span> : percent(stats.success_rate_30d)}
      </td>
      <td className="number high">
        {stats.merge_rate_30d === null ? <span className="soft">–</span> : percent(stats.merge_rate_30d)}
      </td>
      <td className="number high">
        {stats.cost_per_merged_pr_micro_30d === null ? (
          <span className="soft">–</span>
        ) : (
          <Money micro={stats.cost_per_merged_pr_micro_30d} />
        )}
      </td>
      <td className="number low">{next === null ? <span className="soft">–</span> : <Ago at={next} />}</td>
      <td className="number">
        <ActionButton
          label={t("verb|Run")}
          busy={t("Starting…")}
          silentRefusal={refusal}
          act={async (key) => (await call(startRun, { params: { id }, body: {}, idempotencyKey: key })).body}
          onDone={(run) => void navigate({ to: "/runs/$id", params: { id: run.id } })}
        />
      </td>
    </tr>
  );
}
