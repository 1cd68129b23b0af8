/**
 * Effects: actions outside the store that a run's state requires. Each is a row, unique by run and kind, written in the commit of the
 * state. It is leased while it runs, so that one process runs it at a time. It checks the forge before it acts, so an interrupted effect is
 * safe to repeat.
 */
import type { ProblemCode } from "@triptych/contracts";
import type { RunRecord } from "./records.ts";

export type EffectKind = "push" | "pr";

export interface EffectRecord {
  readonly runId: string;
  readonly repoId: string;
  readonly kind: EffectKind;
  /** `watching`: the pull request is open and polled. */
  readonly state: "waiting" | "watching" | "done" | "refused";
  readonly attempts: number;
  readonly nextAt: number;
  readonly leasedBy: string | null;
  readonly leaseUntil: number;
  /** Patch id of the change, so that one change gets one pull request. */
  readonly patchId: string | null;
  readonly outcome: EffectOutcome | null;
}

export interface EffectOutcome {
  readonly at: number;
  readonly refusal: EffectRefusal | null;
}

export interface EffectRefusal {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly members: Readonly<Record<string, unknown>>;
  /** Milliseconds since 1970, if the forge sent a time. */
  readonly retryAt: number | null;
  /** An automatic retry cannot succeed. */
  readonly isFinal: boolean;
}

export interface EffectRepository {
  find(runId: string, kind: EffectKind): Promise<EffectRecord | null>;
  /** Pull requests of this repo's runs with the same change. */
  withPatch(repoId: string, patchId: string): Promise<readonly EffectRecord[]>;
  /** Pull requests of this repo's runs that are open as far as known. */
  countOpenPrs(repoId: string): Promise<number>;
  save(effect: EffectRecord): Promise<void>;
}

interface EffectSource {
  readonly effects: EffectRepository;
  readonly runs: { find(id: string): Promise<RunRecord | null> };
}

export const EFFECT_ATTEMPTS_MAX = 20;
const FIRST_WAIT_MS = 1_000;
const RETRY_DELAY_MAX_MS = 5 * 60_000;

/** Backoff after the given attempt: 1 s, 2 s, 4 s … 5 min. */
export function waitAfter(attempts: number): number {
  return Math.min(RETRY_DELAY_MAX_MS, FIRST_WAIT_MS * 2 ** Math.min(30, Math.max(0, attempts - 1)));
}

/** Survives a short stall of its process; renewed while the work runs. */
export const EFFECT_LEASE_MS = 30_000;
export const WATCH_MS = 5 * 60_000;

export function effectOf(run: RunRecord, at: number): EffectRecord | null {
  if (run.state === "pushing") return newEffect(run, "push", at);
  return run.state === "pushed" && run.wantsPr ? newEffect(run, "pr", at) : null;
}

export function newEffect(run: RunRecord, kind: EffectKind, at: number): EffectRecord {
  return {
    runId: run.id,
    repoId: run.repoId,
    kind,
    state: "waiting",
    attempts: 0,
    nextAt: at,
    leasedBy: null,
    leaseUntil: 0,
    patchId: run.facts.diff?.patch_id ?? null,
    outcome: null,
  };
}

export interface Claim {
  readonly runId: string;
  readonly kind: EffectKind;
  readonly by: string;
  readonly now: number;
  /** Requested by a person, who may also retry a resting or refused effect. */
  readonly isManual: boolean;
}

/**
 * Leases an effect. Null if another process holds it, or handles the pull request of the same change: otherwise two runs with one change
 * could both find none and create two. Runs inside a transaction of the account, which serializes claims.
 */
export async function claimEffect({ effects, runs }: EffectSource, claim: Claim): Promise<EffectRecord | null> {
  const { runId, kind, by, now, isManual } = claim;
  const existing = await effects.find(runId, kind);
  const run = existing === null && isManual ? await runs.find(runId) : null;
  const effect = existing ?? (run === null ? null : newEffect(run, kind, now));
  if (effect === null || effect.leaseUntil > now) return null;
  if (!isManual && (effect.nextAt > now || !["waiting", "watching"].includes(effect.state))) return null;
  const twins = kind === "pr" && effect.patchId !== null ? await effects.withPatch(effect.repoId, effect.patchId) : [];
  if (twins.some((twin) => twin.runId !== runId && twin.leaseUntil > now)) return null;
  const leaseUntil = now + EFFECT_LEASE_MS;
  const claimed = { ...effect, attempts: effect.attempts + 1, leasedBy: by, leaseUntil, nextAt: leaseUntil };
  await effects.save(claimed);
  return claimed;
}

/** False if the lease was lost to another process. */
export async function renewEffect(
  { effects }: Pick<EffectSource, "effects">,
  { runId, kind, by, now }: Omit<Claim, "isManual">,
): Promise<boolean> {
  const effect = await effects.find(runId, kind);
  if (effect?.leasedBy !== by) return false;
  const leaseUntil = now + EFFECT_LEASE_MS;
  await effects.save({ ...effect, leaseUntil, nextAt: leaseUntil });
  return true;
}
