/** The reconnecting connection to the panel. Frames sent while it is down are lost: the sender repeats them after the next `welcome`. */
import type { PanelFrame, WorkerFrame } from "@triptych/contracts";

export interface Connection {
  /** Sends a frame as text, on the connection of the last event. */
  send(text: string): void;
  /** The state for hello and heartbeats. */
  setStatus(status: WorkerStatus): void;
  useKey(key: string): void;
  /** Flushes pending frames first. Idempotent. */
  close(): Promise<void>;
}

export type Handshake = Pick<Hello, "name" | "version" | "slots" | "isolation" | "os" | "agents"> & {
  /** Assigned by the panel; null the first time. */
  readonly workerId: string | null;
  /** Distinguishes a reconnection of this process from a connection of another one. */
  readonly process: string;
  /** Whether the panel started this worker on its own machine. */
  readonly embedded: boolean;
  /** Whether the worker accepts repo checks; a single-run worker does not. */
  readonly canCheck: boolean;
};
type Hello = Extract<WorkerFrame, { readonly t: "hello" }>;

export interface WorkerStatus {
  readonly holding: Hello["holding"];
  /** Checks that are running, or whose result is not acknowledged yet. */
  readonly checking: readonly string[];
  readonly freeSlots: number;
}

export type ConnectionEvent =
  | { readonly kind: "frame"; readonly frame: PanelFrame }
  | { readonly kind: "down" }
  /** The key was rejected; the connection is retried every minute with the current key. */
  | { readonly kind: "refused" }
  | { readonly kind: "error"; readonly text: string }
  /** The panel dismissed this worker, and the connection is closed. */
  | { readonly kind: "dismissed"; readonly why: string };

export type OnEvent = (event: ConnectionEvent) => void;
