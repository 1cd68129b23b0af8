/**
 * Effects: what the panel does outside its store because of the state of a run. Each is a row that is written in the commit which
 * brings the state, and is unique for its run and kind. It is leased while it is carried out, so that it is carried out by one at a
 * time; and because it looks before it acts, one that was interrupted anywhere is simply carried out again.
 */
import type { ProblemCode } from "@triptych/contracts";
import type { Repositories } from "./repositories.ts";
import type { RunRecord } from "./records.ts";

export type EffectKind = "push" | "pr";

export interface EffectRecord {
  readonly runId: string;
  readonly repoId: string;
  readonly kind: EffectKind;
  /** `watching`: the pull request is open and is looked at now and then. */
  readonly state: "waiting" | "watching" | "done" | "refused";
  readonly attempts: number;
  /** Due from then on. */
  readonly nextAt: number;
  readonly leasedBy: string | null;
  readonly leaseUntil: number;
  /** Of the change, so that one change gets one pull request. */
  readonly patchId: string | null;
  /** How the last try ended, for those who waited for it. */
  readonly outcome: EffectOutcome | null;
}

export interface EffectOutcome {
  readonly at: number;
  /** Null when it was carried out. */
  readonly refusal: EffectRefusal | null;
}

export interface EffectRefusal {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly members: Readonly<Record<string, unknown>>;
  /** Milliseconds since 1970, where the forge said so. */
  readonly retryAt: number | null;
  /** Trying again by itself makes no sense. */
  readonly isFinal: boolean;
}

export const TRIES_MAX = 20;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 5 * 60_000;

/** 1 s, 2 s, 4 s … 5 min after the try of this number. */
export function waitAfter(attempts: number): number {
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(30, Math.max(0, attempts - 1)));
}

/** Long enough for a hiccup of the process that holds it; it is renewed while the work goes on. */
export const EFFECT_LEASE_MS = 30_000;
/** How often an open pull request is looked at. */
export const WATCH_MS = 5 * 60_000;

/** What the state that a run has just reached asks for. */
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
  /** A person asks: what rests or was refused is tried again. */
  readonly isManual: boolean;
}

/**
 * Leases an effect; null where somebody else has it, or has the pull request of the same change in hand: two runs with one change
 * would else both look, both find nothing, and both make one. Inside a change of the account, which is what makes it one at a time.
 */
export async function claimEffect({ effects, runs }: Repositories, claim: Claim): Promise<EffectRecord | null> {
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

/** False where the lease was lost: somebody else carries it out now. */
export async function renewEffect(
  { effects }: Repositories,
  { runId, kind, by, now }: Omit<Claim, "isManual">,
): Promise<boolean> {
  const effect = await effects.find(runId, kind);
  if (effect?.leasedBy !== by) return false;
  const leaseUntil = now + EFFECT_LEASE_MS;
  await effects.save({ ...effect, leaseUntil, nextAt: leaseUntil });
  return true;
}
