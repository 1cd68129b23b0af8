import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import {
  CANDIDATE_CATEGORIES,
  CANDIDATE_STATES,
  type CandidateCategory,
  type CandidateState,
} from "@triptych/contracts/plain";
import type { Candidate, ExploreStats, Repo } from "@triptych/contracts";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { call, clickKey } from "../../api/call.ts";
import { runCandidate } from "../../api/endpoints.ts";
import { candidatesQuery, exploreStatsQuery, queries } from "../../api/queries.ts";
import { useKeys } from "../../layout/hotkeys.ts";
import { Empty } from "../../components/empty.tsx";
import { QueryBoundary, Skeleton } from "../../components/query-boundary.tsx";
import { ErrorMessage } from "../../components/error-message.tsx";
import { useStore } from "../../components/watch.ts";
import { percent, sentenceCase } from "../../labels/format.ts";
import { CandidateDetail } from "./candidate-detail.tsx";
import { CandidateSkeleton, FunnelSkeleton } from "./repo-skeleton.tsx";
import { RejectDialog } from "./reject-dialog.tsx";
import { leaving, rejectLater, type RejectKind } from "./rejecting.ts";
import { CANDIDATE_STATE_LABELS, CATEGORY_LABELS } from "../../labels/repos.ts";
import { t } from "../../i18n.ts";

type StateFilter = CandidateState | "all";

export function CandidatesTab({ repo }: { readonly repo: Repo }) {
  const [state, setState] = useState<StateFilter>("proposed");
  const [category, setCategory] = useState<CandidateCategory | "">("");
  const query = useQuery(candidatesQuery(repo.id, { state, ...(category !== "" && { category }) }));
  const stats = useQuery(exploreStatsQuery(repo.id));
  const gone = useStore(leaving);
  return (
    <>
      <div className="head">
        {stats.data === undefined ? (
          stats.isPending ? (
            <Skeleton>
              <FunnelSkeleton />
            </Skeleton>
          ) : null
        ) : (
          <Funnel stats={stats.data} />
        )}
        <span className="fill" />
        <label>
          <span className="visually-hidden">{t("State")}</span>
          <select
            data-filter
            value={state}
            onChange={({ target }) =>
              setState([...CANDIDATE_STATES, "all" as const].find((option) => option === target.value) ?? "proposed")
            }
          >
            {CANDIDATE_STATES.map((option) => (
              <option key={option} value={option}>
                {CANDIDATE_STATE_LABELS[option]}
              </option>
            ))}
            <option value="all">{t("All states")}</option>
          </select>
        </label>
        <label>
          <span className="visually-hidden">{t("Kind")}</span>
          <select
            value={category}
            onChange={({ target }) => setCategory(CANDIDATE_CATEGORIES.find((option) => option === target.value) ?? "")}
          >
            <option value="">{t("All kinds")}</option>
            {CANDIDATE_CATEGORIES.map((option) => (
              <option key={option} value={option}>
                {sentenceCase(CATEGORY_LABELS[option])}
              </option>
            ))}
          </select>
        </label>
      </div>
      <QueryBoundary query={query} skeleton={<CandidateSkeleton />}>
        {({ items }) => {
          const visible = items.filter(({ id }) => !gone.has(id));
          return visible.length === 0 ? (
            <NoCandidates isFiltered={state !== "proposed" || category !== ""} />
          ) : (
            <Triage candidates={visible} />
          );
        }}
      </QueryBoundary>
    </>
  );
}

function NoCandidates({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) return <Empty why={t("No candidate matches the filter.")} />;
  return (
    <Empty why={t("No candidates to review. “Explore” searches for some; it is read-only.")}>
      <p className="soft">
        {t(
          "It looks for failing checks, old TODOs, untested files, outdated or vulnerable dependencies, dead links and missing files, and proves each with a command that fails now.",
        )}
      </p>
    </Empty>
  );
}

function Funnel({ stats }: { readonly stats: ExploreStats }) {
  const { proposed, selected, rejected, done, total, suppressed, dropped_green, funnel } = stats;
  const figures = [
    [t("to review"), proposed],
    [t("selected"), selected],
    [t("done"), done],
    [t("rejected"), rejected],
  ] as const;
  const title = t(
    "{total} in total; {ever_proposed} ever proposed, {ever_selected} ever selected, {delivered} delivered; {suppressed} suppressed, {dropped_green} dropped because their gate passes",
    {
      total,
      ever_proposed: funnel.ever_proposed,
      ever_selected: funnel.ever_selected,
      delivered: funnel.delivered,
      suppressed,
      dropped_green,
    },
  );
  return (
    <ul className="funnel" title={title}>
      {figures.map(([name, count]) => (
        <li key={name}>
          <b>{count}</b> <span className="soft">{name}</span>
        </li>
      ))}
      <li>
        <b>{funnel.delivered}</b>{" "}
        <span className="soft">{t("delivered of {proposed}", { proposed: funnel.ever_proposed })}</span>
      </li>
    </ul>
  );
}

function Triage({ candidates }: { readonly candidates: readonly Candidate[] }) {
  const navigate = useNavigate();
  const [chosenId, choose] = useState(candidates[0].id);
  const index = Math.max(
    0,
    candidates.findIndex(({ id }) => id === chosenId),
  );
  const chosen = candidates[index];
  const [isRejecting, reject] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  const running = useMutation({
    mutationFn: async ({ id }: Candidate) =>
      (await call(runCandidate, { params: { id }, body: {}, idempotencyKey: clickKey() })).body,
    onSuccess: (run) => {
      void queries.invalidateQueries({ queryKey: ["candidates", run.repo_id] });
      void navigate({ to: "/runs/$id", params: { id: run.id } });
    },
  });
  const isOpen = chosen.state === "proposed";
  const move = (step: 1 | -1) => {
    const next = candidates[Math.min(candidates.length - 1, Math.max(0, index + step))];
    choose(next.id);
    list.current?.querySelector<HTMLElement>(`[data-candidate="${next.id}"]`)?.focus();
  };
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    r: () => isOpen && !running.isPending && running.mutate(chosen),
    x: () => isOpen && reject(true),
    e: () => document.querySelector<HTMLElement>("#evidence")?.focus(),
  });
  const { reset } = running;
  useEffect(() => reset(), [chosen.id, reset]);
  const rejectNow = (kind: RejectKind, reason: string) => {
    reject(false);
    const next = candidates[index + 1] ?? candidates[index - 1];
    if (next !== undefined) choose(next.id);
    rejectLater(chosen, kind, reason);
    list.current?.querySelector<HTMLElement>(`[data-candidate="${next?.id ?? ""}"]`)?.focus();
  };
  return (
    <div className="triage">
      <ul ref={list} aria-label={t("Candidates")}>
        {candidates.map((candidate) => (
          <li key={candidate.id}>
            <button
              type="button"
              data-candidate={candidate.id}
              aria-current={candidate.id === chosen.id}
              onClick={() => choose(candidate.id)}
              onFocus={() => choose(candidate.id)}
            >
              <span className="score" title={t("Score")}>
                {percent(candidate.score)}
              </span>
              <span className="name">
                <bdi>{candidate.title}</bdi>
              </span>
              <span className="soft">
                {CATEGORY_LABELS[candidate.category]}
                {candidate.mendable ? (
                  <>
                    {" "}
                    <span className="kind" title={t("Can be fixed without a model")}>
                      {t("auto-fixable")}
                    </span>
                  </>
                ) : null}
              </span>
            </button>
          </li>
        ))}
      </ul>
      <CandidateDetail
        candidate={chosen}
        isBusy={running.isPending}
        onRun={() => running.mutate(chosen)}
        onReject={() => reject(true)}
      >
        {running.error === null ? null : <ErrorMessage error={running.error} />}
      </CandidateDetail>
      {isRejecting ? <RejectDialog candidate={chosen} onReject={rejectNow} onClose={() => reject(false)} /> : null}
    </div>
  );
}
