/**
 * Appends a worker's frame to its run's bus: assigns numbers and drops duplicates. Shared by both engines and by the writer thread, which
 * loads only this file.
 */
import type { RunState } from "@triptych/contracts";
import { withoutFirst, type BusLines } from "../domain/bus-lines.ts";
import type { BusFrame, Ingested } from "../domain/bus-repositories.ts";
import { acceptsWorkerEvents } from "../domain/run-states.ts";
import type { BusChunkRow } from "./tables.ts";

export interface BusHead {
  readonly state: RunState;
  readonly epoch: number;
  readonly last_seq: number;
  readonly said_epoch: number;
  readonly said_upto: number;
}

export type BusPosition = Pick<BusHead, "last_seq" | "said_epoch" | "said_upto"> & {
  readonly chunk: BusChunkRow | null;
};

interface FrameOrigin {
  readonly owner: string;
  readonly runId: string;
  readonly epoch: number;
  readonly at: number;
}

/** A worker sends and resends in order, so lines up to the highest stored number are duplicates. */
export function appendLines(head: BusHead, lines: BusLines, { owner, runId, epoch, at }: FrameOrigin): BusPosition {
  const ackedWseq = head.said_epoch === epoch ? head.said_upto : 0;
  const firstFresh = lines.wseqs.findIndex((wseq) => wseq === null || wseq > ackedWseq);
  const progress = { last_seq: head.last_seq, said_epoch: head.said_epoch, said_upto: head.said_upto };
  if (firstFresh === -1) return { ...progress, chunk: null };
  const { items, kinds, roles, wseqs } = withoutFirst(lines, firstFresh);
  const last_seq = head.last_seq + wseqs.length;
  const chunk = { owner, run_id: runId, first_seq: head.last_seq + 1, last_seq, epoch, at, kinds, roles, items };
  const upto = wseqs.findLast((wseq) => wseq !== null) ?? null;
  if (upto === null) return { ...progress, last_seq, chunk };
  return { last_seq, said_epoch: epoch, said_upto: upto, chunk };
}

/** Null if the frame has another epoch, or its worker no longer holds the run. */
export function appendFrame(head: BusHead | undefined, frame: BusFrame, at: number): BusPosition | null {
  if (head === undefined || head.epoch !== frame.epoch || !acceptsWorkerEvents(head.state)) return null;
  return appendLines(head, frame.lines, { ...frame, at });
}

export function toIngested({ last_seq, said_upto }: BusPosition): Ingested {
  return { kind: "stored", upto: said_upto, lastSeq: last_seq };
}

export interface FrameOutcome {
  readonly ingested: Ingested;
  readonly repoId: string | null;
}

export const FENCED: FrameOutcome = { ingested: { kind: "fenced" }, repoId: null };
