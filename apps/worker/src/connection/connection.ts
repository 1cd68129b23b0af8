/**
 * The line to the panel: one connection after another, for ever. What is said while no connection is up, or on one that breaks, is
 * lost: whoever has something to say says it again after the next `welcome`. Hello, heartbeats and everything of the connection
 * itself are the line's own.
 */
import type { PanelFrame, WorkerFrame } from "@triptych/contracts";

export interface Connection {
  /** A frame as text, on the connection that was up when the last event came. */
  send(text: string): void;
  /** What hello and heartbeats tell from now on. */
  stand(status: WorkerStatus): void;
  /** For the next connection. */
  useKey(key: string): void;
  /** What was said before leaves first. May be called again. */
  close(): Promise<void>;
}

export type Handshake = Pick<Hello, "name" | "version" | "slots" | "isolation" | "os" | "agents"> & {
  /** As the panel gave it; null the first time. */
  readonly workerId: string | null;
  /** Tells a connection of this process, which replaces its own older one, from that of another. */
  readonly process: string;
  /** Started by the panel itself, on its own machine. */
  readonly embedded: boolean;
  /** A worker for a single run takes no checks. */
  readonly canCheck: boolean;
};
type Hello = Extract<WorkerFrame, { readonly t: "hello" }>;

export interface WorkerStatus {
  readonly holding: Hello["holding"];
  /** Checks that it runs, or whose result is not acknowledged. */
  readonly checking: readonly string[];
  readonly freeSlots: number;
}

export type LineEvent =
  | { readonly kind: "frame"; readonly frame: PanelFrame }
  | { readonly kind: "down" }
  /** The key was not taken: the line tries again every minute with whatever key it has by then. */
  | { readonly kind: "refused" }
  /** For the log. */
  | { readonly kind: "trouble"; readonly text: string }
  /** This worker is not wanted any more, and the line is closed. */
  | { readonly kind: "dismissed"; readonly why: string };

export type OnEvent = (event: LineEvent) => void;
