import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { Run } from "@triptych/contracts";
import { useEffect, useMemo, useState } from "react";
import { queries, runQuery } from "../../api/queries.ts";
import { createBus, useBus, type FollowedBus } from "../../run-events/follow-bus.ts";
import { useKeys } from "../../layout/hotkeys.ts";
import { markTitle, useTitle } from "../../layout/title.ts";
import { QueryBoundary } from "../../components/query-boundary.tsx";
import { RunState } from "../../components/state.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { firstLine } from "../../labels/plain-text.ts";
import { attentionLabel, STATE_LABELS, VERDICT_LABELS } from "../../labels/runs.ts";
import "./run.css";
import { RunSkeleton } from "./events-skeleton.tsx";
import { BusPanel } from "./bus-panel.tsx";
import { DetailsPanel } from "./details-panel.tsx";
import { DiffPanel } from "./diff-panel.tsx";
import { FoundPanel } from "./found-panel.tsx";
import { PullRequest } from "./pull-request.tsx";
import { RunActions } from "./run-actions.tsx";
import { RunOutcome } from "./run-outcome.tsx";
import { RunMeters, Timeline } from "./run-progress.tsx";
import { VerifyPanel } from "./verify-panel.tsx";
import { t } from "../../i18n.ts";

const route = getRouteApi("/runs/$id");
const PANELS = ["bus", "verify", "diff", "details"] as const;
type Panel = (typeof PANELS)[number];

export function RunPage() {
  const { id } = route.useParams();
  return <RunDetails key={id} id={id} />;
}

function RunDetails({ id }: { readonly id: string }) {
  const query = useQuery(runQuery(id));
  const bus = useOpenBus(id);
  const run = query.data;
  useTitle(run === undefined ? t("Run") : `${STATE_LABELS[run.state]}: ${run.repo_name}`);
  useEndMark(run);
  useAgreement(run, bus);
  useWatchWhileHidden(id, run?.phase === "active");
  return (
    <QueryBoundary query={query} skeleton={<RunSkeleton />} heading={t("Run")}>
      {(run) => <RunScreen run={run} bus={bus} />}
    </QueryBoundary>
  );
}

function RunScreen({ run, bus }: { readonly run: Run; readonly bus: FollowedBus }) {
  const [panel, show] = useState<Panel>("bus");
  useKeys({ "1": () => show("bus"), "2": () => show("verify"), "3": () => show("diff"), "4": () => show("details") });
  const isExplore = run.kind === "explore";
  const title = isExplore ? t("noun|Explore") : firstLine(run.focus);
  return (
    <div className="run">
      <nav aria-label={t("Breadcrumb")} className="crumbs">
        <Link to="/runs">{t("Runs")}</Link> /{" "}
        <Link to="/repos/$id" params={{ id: run.repo_id }} search={{ tab: undefined }}>
          {run.repo_name}
        </Link>
      </nav>
      <div className="head">
        <RunState run={run} />
        <h1 title={run.focus}>
          <bdi>{title}</bdi>
        </h1>
        <RunActions run={run} />
      </div>
      <p role="status" className="visually-hidden">
        {t("State: {state}.", { state: STATE_LABELS[run.state] })}
      </p>
      <RunOutcome run={run} />
      <PullRequest run={run} />
      <div className="progress">
        <Timeline run={run} bus={bus} />
        <RunMeters run={run} />
      </div>
      <Tabs
        label={t("Run sections")}
        chosen={panel}
        onChoose={show}
        tabs={[
          {
            name: "bus",
            label: (
              <>
                {t("Activity")} <BusCount bus={bus} />
              </>
            ),
            title: `${t("Activity")} (1)`,
          },
          {
            name: "verify",
            label: (
              <>
                {t("Verify")} {run.verify.verdict === null ? null : <i>{VERDICT_LABELS[run.verify.verdict]}</i>}
              </>
            ),
            title: `${t("Verify")} (2)`,
          },
          {
            name: "diff",
            label: isExplore ? (
              t("Candidates")
            ) : (
              <>
                {t("Diff")} {run.diff === null ? null : <DiffSize diff={run.diff} />}
              </>
            ),
            title: `${t("Diff")} (3)`,
          },
          { name: "details", label: t("Details"), title: `${t("Details")} (4)` },
        ]}
      >
        {panel === "bus" ? <BusPanel bus={bus} run={run} /> : null}
        {panel === "verify" ? <VerifyPanel run={run} bus={bus} /> : null}
        {panel === "diff" && !isExplore ? <DiffPanel run={run} /> : null}
        {panel === "diff" && isExplore ? <FoundPanel run={run} /> : null}
        {panel === "details" ? <DetailsPanel run={run} /> : null}
      </Tabs>
    </div>
  );
}

function DiffSize({ diff }: { readonly diff: NonNullable<Run["diff"]> }) {
  return (
    <i>
      +{diff.insertions} −{diff.deletions}
    </i>
  );
}

/** The only part of the page frame that rerenders with every message. */
function BusCount({ bus }: { readonly bus: FollowedBus }) {
  const count = useBus(bus, (view) => view.count);
  return count > 0 ? <i>{count}</i> : null;
}

function useOpenBus(id: string): FollowedBus {
  const bus = useMemo(() => createBus(id), [id]);
  useEffect(() => bus.start(), [bus]);
  return bus;
}

/** Refetches the run if the bus is ahead of it, because the hint about the run may be late or missed. */
function useAgreement(run: Run | undefined, bus: FollowedBus): void {
  const state = useBus(bus, (view) => view.state);
  const { id, state: cachedState } = run ?? { id: "", state: "" };
  useEffect(() => {
    if (state !== "" && cachedState !== "" && state !== cachedState)
      void queries.invalidateQueries({ queryKey: ["run", id] });
  }, [id, state, cachedState]);
}

function useEndMark(run: Run | undefined): void {
  const phase = run?.phase;
  const [before, setBefore] = useState(phase);
  useEffect(() => {
    if (before === "active" && phase !== undefined && phase !== "active" && run !== undefined)
      markTitle(run.phase === "attention" ? attentionLabel(run) : STATE_LABELS[run.state]);
    setBefore(phase);
  }, [phase, before, run]);
}

const HIDDEN_POLL_INTERVAL_MS = 30_000;

/** A hidden tab closes its streams; the watched run is still polled. */
function useWatchWhileHidden(id: string, isActive: boolean): void {
  useEffect(() => {
    if (!isActive) return;
    const timer = setInterval(() => {
      if (document.hidden) void queries.invalidateQueries({ queryKey: ["run", id] });
    }, HIDDEN_POLL_INTERVAL_MS);
    return () => clearInterval(timer);
  }, [id, isActive]);
}
