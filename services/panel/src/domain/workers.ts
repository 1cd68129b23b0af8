import type { IsolationLevel } from "@triptych/contracts";

export interface WorkerAgent {
  readonly cli: string;
  readonly version: string;
  readonly adapter: string;
  readonly models: readonly string[];
}

export interface WorkerRecord {
  readonly id: string;
  readonly name: string;
  readonly agents: readonly WorkerAgent[];
  readonly slots: number;
  readonly isolation: IsolationLevel;
  readonly os: string;
  readonly version: string;
  readonly enabled: boolean;
  readonly embedded: boolean;
  readonly createdAt: number;
  readonly figures: WorkerFigures;
}

export interface WorkerFigures {
  readonly seenAt: number;
  readonly rttMs: number | null;
  readonly outboxPending: number;
  readonly diskFreeMb: number | null;
  /** Generation of its license key as far as known; null if the worker has not connected since this is stored. */
  readonly keyGeneration: number | null;
}

/** A worker's connection; `id` distinguishes it from a newer one. */
export interface ConnectionRecord {
  readonly id: string;
  readonly workerId: string;
  readonly node: string;
  /** Process id as the worker reports it; null if it reports none. */
  readonly process: string | null;
  /** Generation of its license key as far as known. */
  readonly keyGeneration: number;
  readonly openedAt: number;
}

export interface ProbeRecord {
  readonly workerId: string;
  readonly cli: string;
  readonly model: string;
  readonly ok: boolean;
  readonly latencyMs: number;
  readonly error: { readonly code: ProbeErrorCode; readonly message: string } | null;
  readonly checkedAt: number;
}

export type ProbeErrorCode = "timeout" | "auth" | "model_not_found" | "network" | "cli_missing" | "rate_limited";

/** Built into every worker; never a default pair. */
export const BUILT_IN_AGENTS: ReadonlySet<string> = new Set(["command", "scan", "mend"]);

export interface AgentPair {
  readonly cli: string;
  readonly model: string | null;
}

/** The pair of a run that names none: the worker's first agent with its first model. */
export function defaultPairOf(agents: readonly WorkerAgent[]): AgentPair | null {
  // A scripted agent needs a script in the run's settings.
  const agent = agents.find(({ cli, adapter }) => !BUILT_IN_AGENTS.has(cli) && adapter !== "scripted");
  return agent === undefined ? null : { cli: agent.cli, model: agent.models[0] ?? null };
}

/** A CLI with a model, as opposed to a named tool. */
export function isCodingAgent({ adapter }: WorkerAgent): boolean {
  return adapter === "acp" || adapter === "jsonl";
}

export const OUTBOX_COMMANDS = 64;
export const FORGOTTEN_AFTER_MS = 30 * 86_400_000;
const STALE_AFTER_MS = 15_000;
const FREE_DISK_MIN_MB = 1_024;

export type WorkerHealth = "disabled" | "offline" | "stale" | "degraded" | "online";

interface HealthInput {
  readonly worker: Pick<WorkerRecord, "enabled" | "agents" | "figures">;
  readonly isConnected: boolean;
  readonly probes: readonly ProbeRecord[];
  readonly now: number;
}

export function healthOf({ worker, isConnected, probes, now }: HealthInput): WorkerHealth {
  const { figures } = worker;
  if (!worker.enabled) return "disabled";
  if (!isConnected) return "offline";
  if (now - figures.seenAt >= STALE_AFTER_MS) return "stale";
  const pair = defaultPairOf(worker.agents);
  const last = probes.find(({ cli, model }) => cli === pair?.cli && model === (pair.model ?? ""));
  const isFull = figures.outboxPending >= OUTBOX_COMMANDS;
  const hasNoDisk = figures.diskFreeMb !== null && figures.diskFreeMb < FREE_DISK_MIN_MB;
  return last?.ok === false || isFull || hasNoDisk ? "degraded" : "online";
}
