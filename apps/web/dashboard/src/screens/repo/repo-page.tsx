import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import type { Repo } from "@triptych/contracts";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { deleteRepo, updateRepo } from "../../api/endpoints.ts";
import { queries, repoQuery, runPagesQuery } from "../../api/queries.ts";
import { useInfiniteQuery } from "@tanstack/react-query";
import { notify } from "../../layout/toast.tsx";
import { useTitle } from "../../layout/title.ts";
import { ActionButton } from "../../components/action-button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Empty } from "../../components/empty.tsx";
import { QueryBoundary } from "../../components/query-boundary.tsx";
import { RunTable, RunTableSkeleton } from "../../components/run-table.tsx";
import { StateLabel } from "../../components/state.tsx";
import { isSameWait, StartWarning } from "../../components/start-warning.tsx";
import { Tabs } from "../../components/tabs.tsx";
import type { RepoTab } from "../../routes.tsx";
import { describeCheck, REPO_STATUS_LABELS, REPO_TONES, runRefusalOf } from "../../labels/repos.ts";
import { mergeSummary } from "../../labels/pull-requests.ts";
import { RepoSkeleton } from "./repo-skeleton.tsx";
import { PolicyText } from "./ai-policy-section.tsx";
import { CandidatesTab } from "./candidates-tab.tsx";
import { MemoriesTab } from "./memories-tab.tsx";
import { ExploreButton } from "./explore-button.tsx";
import { RunForm } from "./run-form.tsx";
import { SettingsTab } from "./settings-tab.tsx";
import "./repo.css";
import { panelText, t } from "../../i18n.ts";
import { rich } from "../../components/rich.tsx";

const route = getRouteApi("/repos/$id");

export function RepoPage() {
  const { id } = route.useParams();
  const query = useQuery(repoQuery(id));
  useTitle(query.data?.repo.name ?? t("Repo"));
  return (
    <QueryBoundary query={query} skeleton={<RepoSkeleton />} heading={t("Repo")}>
      {({ repo }) => <RepoDetails key={repo.id} repo={repo} />}
    </QueryBoundary>
  );
}

function RepoDetails({ repo }: { readonly repo: Repo }) {
  const { tab = "runs" } = route.useSearch();
  const navigate = route.useNavigate();
  const choose = (name: RepoTab) =>
    void navigate({ search: { tab: name === "runs" ? undefined : name }, replace: true });
  const { stats } = repo;
  const merged = mergeSummary(stats);
  return (
    <>
      <nav aria-label={t("Breadcrumb")} className="crumbs">
        <Link to="/repos">{t("Repos")}</Link>
      </nav>
      <div className="head">
        <h1>
          <bdi>{repo.name}</bdi>
        </h1>
        <StateLabel tone={REPO_TONES[repo.status]}>{REPO_STATUS_LABELS[repo.status]}</StateLabel>
        <code className="soft url">{repo.url}</code>
        <RepoActions repo={repo} />
      </div>
      {repo.status_reason === null ? null : <p className="lines soft">{panelText(repo.status_reason)}</p>}
      {merged === null ? null : <p className="soft">{merged}</p>}
      {hasEffect(repo.ai_policy) ? <PolicyText repo={repo} /> : null}
      {repo.status === "active" ? <StartWarnings repo={repo} /> : null}
      {repo.check?.state === "failed" || repo.check?.state === "unavailable" ? <CheckWarning repo={repo} /> : null}
      <Tabs
        label={t("Repo sections")}
        chosen={tab}
        onChoose={choose}
        tabs={[
          { name: "runs", label: t("Runs") },
          {
            name: "candidates",
            label: (
              <>
                {t("Candidates")} {stats.candidates_proposed > 0 ? <i>{stats.candidates_proposed}</i> : null}
              </>
            ),
          },
          {
            name: "memories",
            label: (
              <>
                {t("Memories")}{" "}
                {stats.memories_pending > 0 ? <i>{t("{count} to review", { count: stats.memories_pending })}</i> : null}
              </>
            ),
          },
          { name: "settings", label: t("Settings") },
        ]}
      >
        {tab === "runs" ? <RunsTab repo={repo} /> : null}
        {tab === "candidates" ? <CandidatesTab repo={repo} /> : null}
        {tab === "memories" ? <MemoriesTab repo={repo} /> : null}
        {tab === "settings" ? <SettingsTab id={repo.id} /> : null}
      </Tabs>
    </>
  );
}

/** Whether the policy stops runs or changes pull requests. */
function hasEffect({ stance, override }: Repo["ai_policy"]): boolean {
  return override === null && (stance === "forbidden" || stance === "human_only");
}

/** Runs and explore runs wait for the same reason if no worker is connected, or none has the isolation level. */
function StartWarnings({ repo }: { readonly repo: Repo }) {
  const { run, explore } = repo.would_wait;
  if (isSameWait(run, explore)) return <StartWarning what={t("A run or explore run")} waiting={run} />;
  return (
    <>
      <StartWarning what={t("subject|Explore")} waiting={explore} />
      <StartWarning what={t("A run")} waiting={run} />
    </>
  );
}

/** Runs of a repo whose commands fail are not pushed, or end as drafts. */
function CheckWarning({ repo }: { readonly repo: Repo }) {
  const { tone, text } = describeCheck(repo);
  return (
    <p className="lines">
      <StateLabel tone={tone}>{text}</StateLabel>{" "}
      <Link to="/repos/$id" params={{ id: repo.id }} search={{ tab: "settings" }}>
        {t("Show the check")}
      </Link>
    </p>
  );
}

function RunsTab({ repo }: { readonly repo: Repo }) {
  const query = useInfiniteQuery(runPagesQuery({ repo_id: repo.id, limit: 50 }));
  return (
    <QueryBoundary query={query} skeleton={<RunTableSkeleton rows={8} isWithoutRepo />}>
      {({ pages }) => {
        const runs = pages.flatMap(({ items }) => items);
        if (runs.length === 0) return <Empty why={t("No runs yet. “Run” starts one; you can edit its focus first.")} />;
        return (
          <>
            <RunTable runs={runs} caption={t("Runs of {name}", { name: repo.name })} isWithoutRepo />
            {query.hasNextPage ? (
              <p>
                <button type="button" disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                  {t("Older runs")}
                </button>
              </p>
            ) : null}
          </>
        );
      }}
    </QueryBoundary>
  );
}

function RepoActions({ repo }: { readonly repo: Repo }) {
  const [isStarting, start] = useState(false);
  const [isRemoving, remove] = useState(false);
  const params = { id: repo.id };
  const refusal = runRefusalOf(repo);
  const isPaused = repo.status === "paused";
  const changed = () => void queries.invalidateQueries({ queryKey: ["repo", repo.id] });
  return (
    <div className="actions">
      <button
        type="button"
        className="primary"
        disabled={refusal !== null}
        title={refusal ?? undefined}
        onClick={() => start(true)}
      >
        {t("verb|Run")}
      </button>
      <ExploreButton repo={repo} />
      <ActionButton
        label={isPaused ? t("Resume") : t("Pause")}
        act={async () => (await call(updateRepo, { params, body: { status: isPaused ? "active" : "paused" } })).body}
        onDone={changed}
      />
      <button type="button" className="danger" onClick={() => remove(true)}>
        {t("Delete")}
      </button>
      {isStarting ? (
        <Dialog title={t("Run {name}", { name: repo.name })} onClose={() => start(false)} isWide>
          <RunForm repo={repo} />
        </Dialog>
      ) : null}
      {isRemoving ? <RemoveDialog repo={repo} onClose={() => remove(false)} /> : null}
    </div>
  );
}

function RemoveDialog({ repo, onClose }: { readonly repo: Repo; readonly onClose: () => void }) {
  const navigate = useNavigate();
  const [typedName, type] = useState("");
  return (
    <Dialog title={t("Delete {name}?", { name: repo.name })} onClose={onClose}>
      <p>
        {t(
          "Its runs are cancelled and its credential is deleted. An active push finishes. History is stored for 30 days. Nothing changes on your Git host.",
        )}
      </p>
      <label className="field">
        <span>{rich(t("Type <b>{name}</b> to confirm"), { name: repo.name })}</span>
        <input value={typedName} onChange={({ target }) => type(target.value)} autoComplete="off" spellCheck={false} />
      </label>
      <footer className="row end">
        <button type="button" onClick={onClose}>
          {t("Cancel")}
        </button>
        <ActionButton
          label={t("Delete repo")}
          busy={t("Deleting…")}
          isDanger
          silentRefusal={typedName === repo.name ? null : t("Type the name to confirm.")}
          act={() => call(deleteRepo, { params: { id: repo.id } })}
          onDone={() => {
            queries.removeQueries({ queryKey: ["repo", repo.id] });
            void queries.invalidateQueries({ queryKey: ["repos"] });
            notify(t("{name} was deleted.", { name: repo.name }));
            void navigate({ to: "/repos" });
          }}
        />
      </footer>
    </Dialog>
  );
}
