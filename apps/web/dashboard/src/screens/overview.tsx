/** Runs that need a person, then active runs, then recent results, then the plan's usage. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Account, Repo, Run, WorkerStatus } from "@triptych/contracts";
import { accountQuery, reposQuery, runsQuery, workersQuery } from "../api/queries.ts";
import { useTitle } from "../layout/title.ts";
import { Empty } from "../components/empty.tsx";
import { Ago } from "../components/stat-values.tsx";
import { SkeletonBar, SkeletonMeter } from "../components/skeleton.tsx";
import { QueryBoundary, Skeleton, StaleNotice } from "../components/query-boundary.tsx";
import { Meter } from "../components/meter.tsx";
import { RunTable, RunTableSkeleton } from "../components/run-table.tsx";
import { StateLabel } from "../components/state.tsx";
import { ErrorMessage } from "../components/error-message.tsx";
import { sentenceCase } from "../labels/format.ts";
import { firstLine } from "../labels/plain-text.ts";
import { FirstSteps } from "./onboarding.tsx";
import { ConnectWorker } from "../components/connect-worker.tsx";
import { plural, t } from "../i18n.ts";
import { rich } from "../components/rich.tsx";
import { HEALTH_LABELS } from "../labels/workers.ts";

const LAST = 10;

export function Overview() {
  useTitle(t("Overview"));
  const attention = useQuery(runsQuery({ phase: "attention", limit: 20 }));
  const active = useQuery(runsQuery({ phase: "active", limit: 50 }));
  const recent = useQuery(runsQuery({ limit: 40 }));
  const repos = useQuery(reposQuery());
  const workers = useQuery(workersQuery);
  const account = useQuery(accountQuery);
  // Renders all sections together, so that a later one does not push others down.
  const isThere = [attention, active, recent, repos, workers, account].every(({ isPending }) => !isPending);
  if (!isThere)
    return (
      <>
        <h1 className="visually-hidden">{t("Overview")}</h1>
        <Skeleton>
          <OverviewSkeleton />
        </Skeleton>
      </>
    );
  const runs = [attention, active, recent];
  // An error that applies to all sections is shown once.
  if (runs.every(({ data }) => data === undefined))
    return (
      <>
        <h1 className="visually-hidden">{t("Overview")}</h1>
        <ErrorMessage error={recent.error} onRetry={() => runs.forEach(({ refetch }) => void refetch())} />
      </>
    );
  const isNew = recent.data?.items.length === 0;
  return (
    <>
      <h1 className="visually-hidden">{t("Overview")}</h1>
      <StaleNotice query={recent} />
      {isNew ? (
        <section aria-labelledby="first">
          <h2 id="first">{t("First steps")}</h2>
          <FirstSteps
            repoId={repos.data?.items[0]?.id}
            hasWorker={workers.data !== undefined && workers.data.summary.connected > 0}
          />
        </section>
      ) : null}
      <section aria-labelledby="needs">
        <h2 id="needs">{t("Needs attention")}</h2>
        <QueryBoundary query={attention} isAgeless skeleton={<NeedsSkeleton />}>
          {({ items }) => (
            <Needs runs={items} repos={repos.data?.items ?? []} workers={isNew ? undefined : workers.data} />
          )}
        </QueryBoundary>
      </section>
      <section aria-labelledby="active">
        <h2 id="active">{t("In progress")}</h2>
        <QueryBoundary query={active} isAgeless skeleton={<QuietSkeleton />}>
          {({ items }) =>
            items.length === 0 ? (
              <p className="soft quiet">{t("No runs in progress.")}</p>
            ) : (
              <RunTable runs={items} caption={t("Runs in progress")} />
            )
          }
        </QueryBoundary>
      </section>
      <section aria-labelledby="last">
        <h2 id="last">{t("Recent runs")}</h2>
        <QueryBoundary query={recent} isAgeless skeleton={<RunTableSkeleton rows={LAST} />}>
          {({ items }) => <LastResults runs={items.filter(({ phase }) => phase !== "active").slice(0, LAST)} />}
        </QueryBoundary>
      </section>
      <section aria-labelledby="usage">
        <h2 id="usage">{t("Plan")}</h2>
        <QueryBoundary query={account} isAgeless skeleton={<SkeletonMeter count={3} />}>
          {(data) => <Usage account={data} />}
        </QueryBoundary>
      </section>
    </>
  );
}

function OverviewSkeleton() {
  return (
    <>
      <section>
        <h2>{t("Needs attention")}</h2>
        <NeedsSkeleton />
      </section>
      <section>
        <h2>{t("In progress")}</h2>
        <QuietSkeleton />
      </section>
      <section>
        <h2>{t("Recent runs")}</h2>
        <RunTableSkeleton rows={LAST} />
      </section>
      <section>
        <h2>{t("Plan")}</h2>
        <SkeletonMeter count={3} />
      </section>
    </>
  );
}

function NeedsSkeleton() {
  return (
    <ul className="needs">
      {(["w30", "w40"] as const).map((width) => (
        <li key={width}>
          <SkeletonBar width="s72" />
          <SkeletonBar width={width} />
        </li>
      ))}
    </ul>
  );
}

function QuietSkeleton() {
  return (
    <p className="quiet">
      <SkeletonBar width="s240" />
    </p>
  );
}

interface NeedsProps {
  readonly runs: readonly Run[];
  readonly repos: readonly Repo[];
  /** Undefined until they are loaded, and while onboarding is shown. */
  readonly workers: WorkerStatus | undefined;
}

function Needs({ runs, repos, workers }: NeedsProps) {
  const unreachable = repos.filter(({ status }) => status === "unreachable");
  const candidates = repos.filter(({ stats }) => stats.candidates_proposed > 0);
  const pending = repos.filter(({ stats }) => stats.memories_pending > 0);
  const missing = (workers?.workers ?? []).filter(
    ({ health, enabled }) => enabled && (health === "offline" || health === "degraded"),
  );
  const hasNoWorker = workers !== undefined && workers.summary.connected === 0;
  const isCalm = [runs, unreachable, candidates, pending, missing].every(({ length }) => length === 0) && !hasNoWorker;
  if (isCalm) return <p className="soft quiet">{t("Nothing needs your attention.")}</p>;
  return (
    <ul className="needs">
      {runs.map((run) => (
        <li key={run.id}>
          <StateLabel tone="attention">{t("PR missing")}</StateLabel>
          <Link to="/runs/$id" params={{ id: run.id }} data-item>
            <b>{run.repo_name}</b> <bdi>{firstLine(run.focus)}</bdi>
          </Link>
          <Ago at={run.times.pushed_at} />
        </li>
      ))}
      {hasNoWorker ? (
        <li className="tall">
          <StateLabel tone="attention">{t("No worker")}</StateLabel>
          <div>
            <Link to="/workers" data-item>
              {t("No worker is connected. Runs wait until one connects.")}
            </Link>
            <ConnectWorker />
          </div>
        </li>
      ) : null}
      {hasNoWorker
        ? null
        : missing.map(({ id, name, health, last_seen_at }) => (
            <li key={id}>
              <StateLabel tone="attention">{HEALTH_LABELS[health]}</StateLabel>
              <Link to="/workers" data-item>
                {rich(
                  health === "offline"
                    ? t("Worker <b>{name}</b> is not connected")
                    : t("Worker <b>{name}</b> is degraded"),
                  { name },
                )}
              </Link>
              <Ago at={last_seen_at} />
            </li>
          ))}
      {unreachable.map(({ id, name, status_reason, updated_at }) => (
        <li key={id}>
          <StateLabel tone="attention">{t("Unreachable")}</StateLabel>
          <Link to="/repos/$id" params={{ id }} search={{ tab: "settings" }} data-item>
            <b>{name}</b> {status_reason}
          </Link>
          <Ago at={updated_at} />
        </li>
      ))}
      {candidates.map(({ id, name, stats }) => (
        <li key={id}>
          <StateLabel tone="attention">{t("Review candidates")}</StateLabel>
          <Link to="/repos/$id" params={{ id }} search={{ tab: "candidates" }} data-item>
            <b>{name}</b>{" "}
            {plural(stats.candidates_proposed, "{count} candidate to review", "{count} candidates to review")}
          </Link>
        </li>
      ))}
      {pending.map(({ id, name, stats }) => (
        <li key={id}>
          <StateLabel tone="attention">{t("Review memory")}</StateLabel>
          <Link to="/repos/$id" params={{ id }} search={{ tab: "memories" }} data-item>
            <b>{name}</b> {plural(stats.memories_pending, "{count} memory to review", "{count} memories to review")}
          </Link>
        </li>
      ))}
    </ul>
  );
}

function LastResults({ runs }: { readonly runs: readonly Run[] }) {
  if (runs.length === 0)
    return (
      <Empty why={t("No run has ended yet.")}>
        <Link to="/repos">{t("Start a run from a repository")}</Link>
      </Empty>
    );
  return <RunTable runs={runs} caption={t("Ended runs")} />;
}

function Usage({ account: { plan, usage } }: { readonly account: Account }) {
  const { limits } = plan;
  return (
    <div className="meters">
      <Meter
        name={t("Runs this month ({plan} plan)", { plan: sentenceCase(plan.id) })}
        value={usage.runs}
        cap={limits.runs_per_month}
      />
      {limits.explores_per_day > 0 ? (
        <Meter name={t("Explore runs today")} value={usage.explores_today} cap={limits.explores_per_day} />
      ) : null}
      <Meter name={t("Repos")} value={usage.repos} cap={limits.repos} />
    </div>
  );
}
