/**
 * Checks of a repo's commands: a worker runs setup and verify command once, without an agent. A repo has at most one. Its id changes with
 * its input, so a result with another id is stale.
 */
import { CHECK_MESSAGE_MAX, type CheckState } from "@triptych/contracts";
import type { CheckRecord, RepoRecord } from "./records.ts";

export interface CheckRepository {
  find(repoId: string): Promise<CheckRecord | null>;
  save(check: CheckRecord): Promise<void>;
  remove(repoId: string): Promise<void>;
  running(): Promise<readonly CheckRecord[]>;
}

type CheckEvent = "claim" | "release" | "pass" | "fail" | "give_up";

/** State x event; other transitions are ignored. */
const NEXT: Readonly<Record<CheckState, Partial<Record<CheckEvent, CheckState>>>> = {
  pending: { claim: "running" },
  running: { release: "pending", pass: "passed", fail: "failed", give_up: "unavailable" },
  passed: {},
  failed: {},
  unavailable: {},
};

function move(check: CheckRecord, event: CheckEvent, change: Partial<CheckRecord>): CheckRecord {
  const state = NEXT[check.state][event];
  if (state === undefined) throw new Error(`a check that is ${check.state} cannot ${event}`);
  return { ...check, ...change, state };
}

/** One worker may fail for any reason; a second failure suggests that the check causes it. */
const ATTEMPTS_MAX = 2;
const LOST = "The workers that ran the check did not report a result in time.";
const NO_COMMANDS = "The repository has neither a setup command nor a verify command.";

const NEW = { attempts: 0, workerId: null, deadline: null, message: null, setup: null, verify: null } as const;

interface Request {
  readonly id: string;
  readonly now: number;
}

export function newCheck({ id: repoId, settings }: Pick<RepoRecord, "id" | "settings">, request: Request): CheckRecord {
  const check = { ...NEW, repoId, id: request.id, requestedAt: request.now };
  if (hasCommands(settings)) return { ...check, state: "pending", checkedAt: null };
  return { ...check, state: "unavailable", message: NO_COMMANDS, checkedAt: request.now };
}

function hasCommands({ verify_cmd, verify }: RepoRecord["settings"]): boolean {
  return verify_cmd !== null || verify.setup_cmd !== null;
}

export function isOpen({ state }: Pick<CheckRecord, "state">): boolean {
  return state === "pending" || state === "running";
}

export function claimCheck(check: CheckRecord, claim: { readonly workerId: string; readonly deadline: number }) {
  return move(check, "claim", { ...claim, attempts: check.attempts + 1 });
}

/** Returns a check that no worker has seen, so the attempt does not count. */
export function returnCheck(check: CheckRecord): CheckRecord {
  return move(check, "release", { workerId: null, deadline: null, attempts: check.attempts - 1 });
}

export function releaseCheck(check: CheckRecord, now: number): CheckRecord {
  const over = { workerId: null, deadline: null };
  if (check.attempts < ATTEMPTS_MAX) return move(check, "release", over);
  return move(check, "give_up", { ...over, message: LOST, checkedAt: now });
}

export interface CheckResult extends Pick<CheckRecord, "setup" | "verify" | "message"> {
  readonly isUnavailable: boolean;
}

export function finishCheck(check: CheckRecord, result: CheckResult, now: number): CheckRecord {
  const { setup, verify, isUnavailable } = result;
  const isRed = [setup, verify].some((end) => end !== null && end.exitCode !== 0);
  const event = isUnavailable ? "give_up" : isRed ? "fail" : "pass";
  const message = event === "pass" ? null : (result.message?.slice(0, CHECK_MESSAGE_MAX) ?? null);
  return move(check, event, { setup, verify, message, workerId: null, deadline: null, checkedAt: now });
}

function changesCheck(before: RepoRecord, after: RepoRecord): boolean {
  const facts = ({ settings: { verify, verify_cmd, isolation, limits }, environment }: RepoRecord) => {
    const { disk_mb, memory_mb, processes } = limits;
    return JSON.stringify([verify, verify_cmd, isolation, environment, disk_mb, memory_mb, processes]);
  };
  return facts(before) !== facts(after);
}

export async function restartCheck(
  checks: CheckRepository,
  request: Request,
  { before, after }: { readonly before: RepoRecord; readonly after: RepoRecord },
): Promise<void> {
  if (!changesCheck(before, after) || (await checks.find(after.id)) === null) return;
  if (hasCommands(after.settings)) await checks.save(newCheck(after, request));
  else await checks.remove(after.id);
}
