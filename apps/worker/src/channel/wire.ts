/** Between what the panel writes in frames and what the worker works with. */
import type { PanelFrame, RunVerify, WorkerFrame } from "@triptych/contracts";
import type { AgentMember } from "../agents/agent.ts";
import type { AgentOffers } from "../agents/offers.ts";
import type { Base } from "../git/base.ts";
import type { ExploreOrder } from "../scouts/explore-order.ts";
import { SCAN_ALONE, scoutsFor, type Scouts } from "../scouts/who-scouts.ts";
import type { CheckReport, CheckRun, CommandEnd, DiffSize, RunOrder } from "../run-order.ts";

export type Assign = Extract<PanelFrame, { readonly t: "assign" }>;
export type ReportedState = Extract<WorkerFrame, { readonly t: "state" }>["state"];
export type RefuseReason = Extract<WorkerFrame, { readonly t: "refuse" }>["reason"];

const GATE_TIMEOUT_S = 900;
const AUTHOR = { name: "Triptych", email: "triptych@localhost" };

export function orderOf(assign: Assign, base: Base, coder: AgentMember): RunOrder {
  const { verify, gate, limits } = assign;
  return {
    runId: assign.run_id,
    clone: {
      url: assign.clone.url,
      ...base,
      repository: assign.repo_id,
      bearer: assign.run_token,
    },
    verify: {
      command: verify.cmd,
      setupCommand: verify.setup_cmd,
      timeoutS: verify.timeout_s,
      retries: verify.retries,
      baseline: verify.baseline,
    },
    gate:
      gate === null
        ? null
        : {
            command: gate.cmd,
            baseline: gate.baseline ?? "none",
            timeoutS: gate.timeout_s ?? GATE_TIMEOUT_S,
            frozenPaths: gate.frozen_paths ?? [],
          },
    coder,
    maxRounds: assign.team.max_rounds,
    focus: assign.prompt.focus,
    memories: assign.prompt.memories,
    limits: {
      timeoutS: limits.timeout_s,
      idleTimeoutS: limits.idle_timeout_s,
      maxChangedFiles: limits.max_changed_files,
      maxDiffLines: limits.max_diff_lines,
      diskMb: limits.disk_mb,
    },
    protectedPaths: assign.protected_paths,
    mayAddProtected: assign.may_add_protected ?? false,
    author: AUTHOR,
  };
}

/** Of a scout: who reads, and what is known already. */
export function exploreOrderOf(assign: Assign, base: Base, scouts: Scouts): ExploreOrder {
  const { explore, isolation, known = [] } = assign;
  return {
    ...orderOf(assign, base, scouts.agent ?? SCAN_ALONE),
    scouts: { scan: scouts.scan, agent: scouts.agent !== null },
    checks: explore.checks,
    areas: explore.areas,
    maxCandidates: explore.max_candidates,
    known: known.map(({ fingerprint, gate, paths }) => ({
      fingerprint,
      gate: gate === null ? null : { command: gate.cmd, timeoutS: gate.timeout_s ?? GATE_TIMEOUT_S },
      paths,
    })),
    isNetworkOpen: isolation.network === "open",
  };
}

/** Who works on an order, or reads for it; null where nobody here can. */
export function memberFor(assign: Assign, offers: AgentOffers): AgentMember | null {
  if (assign.kind === "maintain") return coderOf(assign) ?? offers.first;
  const scouts = scoutsFor(assign.explore.scout, offers);
  return scouts === undefined ? null : (scouts.agent ?? SCAN_ALONE);
}

/** The member that writes; null where the team leaves that to the worker. */
function coderOf({ team, gate }: Assign): AgentMember | null {
  const member = team.members.find(({ role }) => role === "coder");
  if (member === undefined) return null;
  // Its words are the gate: that is what it makes green.
  if (member.cli === "mend") return { cli: "mend", model: null, command: gate === null ? null : [gate.cmd] };
  return { cli: member.cli, model: member.model ?? null, command: member.command ?? null };
}

export function verifyOf({ baseline, attempts, verdict }: CheckReport): RunVerify {
  const gate = (attempts.at(-1) ?? baseline)?.gate ?? null;
  return {
    baseline: baselineOf(baseline),
    attempts: attempts.map((run, place) => ({ n: place + 1, ...endOf(run) })),
    gate: gate === null ? null : { exit_code: gate.exitCode, duration_ms: gate.durationMs },
    verdict,
  };
}

export function baselineOf(run: CheckRun | null): RunVerify["baseline"] {
  return run === null ? null : { ...endOf(run), cached: run.isCached };
}

export function sizeOf({ files, insertions, deletions }: DiffSize) {
  return { changed_files: files, insertions, deletions };
}

/** Both commands together are the check: the first of them that did not succeed is how it ended. */
function endOf({ verify, gate, durationMs }: CheckRun) {
  const ends = [verify, gate].filter((end): end is CommandEnd => end !== null);
  const decisive = ends.find(({ exitCode }) => exitCode !== 0) ?? ends.at(-1);
  return { exit_code: decisive?.exitCode ?? null, duration_ms: durationMs };
}
