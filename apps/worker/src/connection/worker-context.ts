import type { IsolationLevel, WorkerFrame } from "@triptych/contracts";
import type { AvailableAgents } from "../agents/agent-registry.ts";
import type { AgentSelection } from "../session/agent-selection.ts";
import type { WorkerTools } from "../session/do-run.ts";
import type { LeftRun } from "../session/run-folder.ts";
import type { Work } from "../session/run-session.ts";
import type { RunSessions } from "../session/run-sessions.ts";
import type { Assign } from "../session/wire.ts";
import type { WorkerChecks } from "../session/worker-checks.ts";
import type { Availability, AvailabilityEvent } from "./availability.ts";
import type { Connection, OnEvent, WorkerStatus } from "./connection.ts";
import type { LicenseKey } from "./license-key.ts";

export interface WorkerOptions {
  readonly connect: (status: WorkerStatus, onEvent: OnEvent) => Connection;
  readonly key: LicenseKey;
  readonly slots: number;
  readonly agents: AvailableAgents;
  readonly isolation: IsolationLevel;
  readonly runs: string;
  readonly left: readonly LeftRun[];
  readonly tools: WorkerTools;
  readonly work: (assign: Assign, selection: AgentSelection) => Work;
  readonly isOnce: boolean;
  /** Megabytes that are free for runs. */
  readonly diskFree: () => Promise<number>;
  readonly onNamed: (workerId: string) => void;
}

/** The parts of a running worker, for the handlers of the panel's messages. */
export interface WorkerContext {
  readonly options: WorkerOptions;
  readonly connection: Connection;
  readonly sessions: RunSessions;
  readonly checks: WorkerChecks;
  availability(): Availability;
  /** Applies the event, and updates the state for hello and heartbeats. */
  update(event: AvailabilityEvent): void;
  freeSlots(): number;
  send(frame: WorkerFrame): void;
}
