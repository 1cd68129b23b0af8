/** Between what the panel writes in frames and what the worker works with. */
import type { PanelFrame, RunVerify, WorkerFrame } from "@triptych/contracts";
import type { Base } from "../git/base.ts";
import type { ExploreOrder } from "../scouts/explore-order.ts";
import type { Scouts } from "../scouts/who-scouts.ts";
import type { TeamOrder } from "../team/seats.ts";
import type { CheckReport, CheckRun, CommandEnd, DiffSize, RunOrder } from "../run-order.ts";

export type Assign = Extract<PanelFrame, { readonly t: "assign" }>;
export type ReportedState = Extract<WorkerFrame, { readonly t: "state" }>["state"];
export type RefuseReason = Extract<WorkerFrame, { readonly t: "refuse" }>["reason"];

const GATE_TIMEOUT_S = 900;
const AUTHOR = { name: "Triptych", email: "triptych@localhost" };

export function orderOf(assign: Assign, base: Base): RunOrder {
  const { verify, gate, limits, isolation } = assign;
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
    maxRounds: assign.team.max_rounds,
    focus: assign.prompt.focus,
    memories: assign.prompt.memories,
    limits: {
      timeoutS: limits.timeout_s,
      idleTimeoutS: limits.idle_timeout_s,
      maxChangedFiles: limits.max_changed_files,
      maxDiffLines: limits.max_diff_lines,
      diskMb: limits.disk_mb,
      memoryMb: limits.memory_mb,
      processes: limits.processes,
      maxCostMicro: limits.max_cost_micro,
      maxTokens: limits.max_tokens,
      maxTurns: limits.max_turns,
    },
    prices: new Map(Object.entries(assign.prices ?? {})),
    usdEur: assign.usd_eur ?? 1,
    isolation: {
      levelRequired: isolation.level_required,
      network: isolation.network,
      allowHosts: isolation.allow_hosts,
    },
    protectedPaths: assign.protected_paths,
    mayAddProtected: assign.may_add_protected ?? false,
    author: AUTHOR,
  };
}

/** Of a scout: who reads, and what is known already. */
export function exploreOrderOf(assign: Assign, base: Base, { scan, seat }: Scouts): ExploreOrder {
  const { explore, known = [] } = assign;
  return {
    ...orderOf(assign, base),
    scouts: { scan, agent: seat !== null },
    checks: explore.checks,
    areas: explore.areas,
    maxCandidates: explore.max_candidates,
    known: known.map(({ fingerprint, gate, paths }) => ({
      fingerprint,
      gate: gate === null ? null : { command: gate.cmd, timeoutS: gate.timeout_s ?? GATE_TIMEOUT_S },
      paths,
    })),
  };
}

/** As the order names it; `mend` works by the gate of the run, which is what it makes green. */
export function teamOf({ team, gate }: Assign): TeamOrder {
  const command = gate === null ? [] : [gate.cmd];
  return { ...team, members: team.members.map((one) => (one.cli === "mend" ? { ...one, command } : one)) };
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
