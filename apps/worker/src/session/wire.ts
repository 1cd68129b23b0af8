/** Converts between the panel's frames and the worker's types. */
import type { PanelFrame, ReportedChecks, ReportedVerify, WorkerFrame } from "@triptych/contracts";
import type { Base } from "../git/base.ts";
import type { ExploreRequest } from "../phases/explore/explore-request.ts";
import type { ScoutSelection } from "../phases/explore/select-scouts.ts";
import type { TeamOptions } from "../agents/team-members.ts";
import type { DiffSize } from "@triptych/change-policy";
import type { CheckReport, CheckRun, CommandEnd, IsolationOptions, RunLimits, RunRequest } from "../run/run-request.ts";

export type Assign = Extract<PanelFrame, { readonly t: "assign" }>;
export type CheckCommand = Extract<PanelFrame, { readonly t: "check" }>;
export type ReportedState = Extract<WorkerFrame, { readonly t: "state" }>["state"];
export type RefuseReason = Extract<WorkerFrame, { readonly t: "refuse" }>["reason"];

const GATE_TIMEOUT_S = 900;
const AUTHOR = { name: "Triptych", email: "triptych@localhost" };

export function toRunRequest(assign: Assign, base: Base): RunRequest {
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
    title: assign.title ?? null,
    memories: assign.prompt.memories,
    followUp: followUpOf(assign),
    limits: limitsOf(limits),
    prices: new Map(Object.entries(assign.prices ?? {})),
    usdEur: assign.usd_eur ?? 1,
    isolation: isolationOf(isolation),
    environment: assign.environment ?? [],
    protectedPaths: assign.protected_paths,
    mayAddProtected: assign.may_add_protected ?? false,
    isPolicyEnforced: assign.kind === "maintain" && assign.ai_policy?.allowed === false,
    author: assign.author ?? AUTHOR,
  };
}

function followUpOf({ follow_up: followUp }: Assign): RunRequest["followUp"] {
  return followUp === undefined ? null : { evidence: followUp.evidence, merge: followUp.merge?.branch ?? null };
}

/** Works like a run's baseline without an agent, so that the first run finds the check's cached result. */
export function checkOrderOf(check: CheckCommand, base: Base): RunRequest {
  const { verify } = check;
  return {
    runId: check.check_id,
    clone: { url: check.clone.url, ...base, repository: check.repo_id, bearer: check.token },
    verify: {
      command: verify.cmd,
      setupCommand: verify.setup_cmd,
      timeoutS: verify.timeout_s,
      retries: 0,
      baseline: true,
    },
    gate: null,
    maxRounds: 1,
    focus: "",
    memories: [],
    limits: { ...limitsOf(check.limits), timeoutS: check.timeout_s },
    prices: new Map(),
    usdEur: 1,
    isolation: isolationOf(check.isolation),
    environment: check.environment ?? [],
    protectedPaths: [],
    author: AUTHOR,
  };
}

function limitsOf(limits: Assign["limits"]): RunLimits {
  return {
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
  };
}

function isolationOf({ level_required, network, allow_hosts }: Assign["isolation"]): IsolationOptions {
  return { levelRequired: level_required, network, allowHosts: allow_hosts };
}

export function toExploreRequest(assign: Assign, base: Base, { scan, teamMember }: ScoutSelection): ExploreRequest {
  const { explore, known = [] } = assign;
  return {
    ...toRunRequest(assign, base),
    scouts: { scan, agent: teamMember !== null },
    checks: explore.checks,
    areas: explore.areas,
    maxCandidates: explore.max_candidates,
    // A panel of version 0.2 proposes each update alone, whatever its age.
    deps: { minReleaseAgeDays: assign.deps?.min_release_age_days ?? 0, group: assign.deps?.group ?? "none" },
    existingFindings: known.map(({ fingerprint, gate, paths }) => ({
      fingerprint,
      gate: gate === null ? null : { command: gate.cmd, timeoutS: gate.timeout_s ?? GATE_TIMEOUT_S },
      paths,
    })),
  };
}

/** As in the assignment; `mend` uses the gate of the run. */
export function teamOf({ team, gate }: Assign): TeamOptions {
  const command = gate === null ? [] : [gate.cmd];
  return { ...team, members: team.members.map((member) => (member.cli === "mend" ? { ...member, command } : member)) };
}

interface CheckMembers {
  readonly verify: ReportedVerify;
  readonly checks: ReportedChecks;
}

/** Stores a log and returns its SHA-256; null if it cannot be stored. */
type StoreLog = (log: string) => string | null;

/** Report members: both commands together, and each apart. Only a final report stores logs. */
export function checkMembers({ baseline, attempts, verdict }: CheckReport, storeLog?: StoreLog): CheckMembers {
  const eachCommand = ({ verify, gate }: CheckRun) => ({
    verify: toEnd(verify, storeLog),
    gate: toEnd(gate, storeLog),
  });
  const gate = (attempts.at(-1) ?? baseline)?.gate ?? null;
  return {
    verify: {
      baseline: combinedBaseline(baseline),
      attempts: attempts.map((run, index) => ({ n: index + 1, ...combined(run) })),
      gate: toEnd(gate),
      verdict,
    },
    checks: {
      baseline: baseline === null ? null : { ...eachCommand(baseline), cached: baseline.isCached },
      attempts: attempts.map(eachCommand),
    },
  };
}

export function baselineMembers(baseline: CheckRun | null) {
  const { verify, checks } = checkMembers({ baseline, attempts: [], verdict: null });
  return { baseline: verify.baseline, checks };
}

function combinedBaseline(run: CheckRun | null): ReportedVerify["baseline"] {
  return run === null ? null : { ...combined(run), cached: run.isCached };
}

function toEnd(end: CommandEnd | null, storeLog?: StoreLog) {
  if (end === null) return null;
  const log = end.log === undefined ? null : (storeLog?.(end.log) ?? null);
  return { exit_code: end.exitCode, duration_ms: end.durationMs, ...(log !== null && { log }) };
}

export function sizeOf({ files, insertions, deletions }: DiffSize) {
  return { changed_files: files, insertions, deletions };
}

/** The first failed command decides, else the last one. */
function combined({ verify, gate, durationMs }: CheckRun) {
  const ends = [verify, gate].filter((end): end is CommandEnd => end !== null);
  const decisive = ends.find(({ exitCode }) => exitCode !== 0) ?? ends.at(-1);
  return { exit_code: decisive?.exitCode ?? null, duration_ms: durationMs };
}
