/** Agents of a run as its worker reported them, and what a reviewer left open. */
import type { BusRole } from "@triptych/contracts";

export interface RunAgent {
  readonly role: BusRole;
  readonly cli: string;
  readonly model: string | null;
  /** As its worker reported it; absent in older runs, null if unknown. */
  readonly version?: string | null;
}

export interface ReviewComment {
  readonly path: string;
  readonly line: number | null;
  readonly text: string;
}
