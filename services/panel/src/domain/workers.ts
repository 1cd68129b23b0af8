/** Workers: what is known of one, which of its agents is the default, and how well it is (section 8.1). */
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
  /** Started by this panel itself. */
  readonly embedded: boolean;
  readonly createdAt: number;
  readonly figures: WorkerFigures;
}

/** What changes from heartbeat to heartbeat. */
export interface WorkerFigures {
  readonly seenAt: number;
  readonly rttMs: number | null;
  readonly outboxPending: number;
  readonly diskFreeMb: number | null;
  /** Of the licence key that it holds, as far as the panel knows; null where it has not been here since that is written down. */
  readonly keyGeneration: number | null;
}

/** Where a worker is connected; `id` tells a newer connection of the same worker from an older one. */
export interface ConnectionRecord {
  readonly id: string;
  readonly workerId: string;
  readonly node: string;
  /** Of the worker, as it says; null where it says none. */
  readonly process: string | null;
  /** Of the licence key that the worker holds, as far as the panel knows. */
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

/** What every worker can do without an agent of its own: a default pair is never one of these. */
export const BUILT_IN_AGENTS: ReadonlySet<string> = new Set(["command", "scan", "mend"]);

export interface AgentPair {
  readonly cli: string;
  readonly model: string | null;
}

/** The pair that works where a run names none: the first agent that the worker offers, with its first model. */
export function defaultPairOf(agents: readonly WorkerAgent[]): AgentPair | null {
  // One that follows a script works only where an order brings one.
  const agent = agents.find(({ cli, adapter }) => !BUILT_IN_AGENTS.has(cli) && adapter !== "scripted");
  return agent === undefined ? null : { cli: agent.cli, model: agent.models[0] ?? null };
}

/** A CLI with a model; not a tool that somebody named. */
export function isCodingAgent({ adapter }: WorkerAgent): boolean {
  return adapter === "acp" || adapter === "jsonl";
}

export const OUTBOX_COMMANDS = 64;
export const FORGOTTEN_AFTER_MS = 30 * 86_400_000;
const STALE_AFTER_MS = 15_000;
const DISK_LEAST_MB = 1_024;

export type WorkerHealth = "disabled" | "offline" | "stale" | "degraded" | "online";

interface HealthInput {
  readonly worker: Pick<WorkerRecord, "enabled" | "agents" | "figures">;
  readonly isConnected: boolean;
  /** Of this worker. */
  readonly probes: readonly ProbeRecord[];
  readonly now: number;
}

/** The first that fits. */
export function healthOf({ worker, isConnected, probes, now }: HealthInput): WorkerHealth {
  const { figures } = worker;
  if (!worker.enabled) return "disabled";
  if (!isConnected) return "offline";
  if (now - figures.seenAt >= STALE_AFTER_MS) return "stale";
  const pair = defaultPairOf(worker.agents);
  const last = probes.find(({ cli, model }) => cli === pair?.cli && model === (pair.model ?? ""));
  const isFull = figures.outboxPending >= OUTBOX_COMMANDS;
  const hasNoDisk = figures.diskFreeMb !== null && figures.diskFreeMb < DISK_LEAST_MB;
  return last?.ok === false || isFull || hasNoDisk ? "degraded" : "online";
}
