/**
 * The attempts of one boot, and what the rail has to be told about them. An attempt is open from its number to its end; its end is
 * `delivered`, or a reason to void it. Every attempt that was sent and not delivered is named in `voids`, refused ones too: a copy of
 * it may still be on its way, and would be charged when it arrives after a top-up. `through` passes only what is finished, and an
 * end is told again and again until a batch that told it was answered, so the watermark never swallows a void.
 */
import type { VoidReason } from "@triptych/contracts";

export type AttemptEnd = "delivered" | VoidReason;

/** What a batch says about attempts: `ack` and `voids` of the contract. */
export interface AttemptReport {
  readonly through: number;
  readonly also: readonly number[];
  readonly voids: readonly { readonly seq: number; readonly reason: VoidReason }[];
}

export interface Attempts {
  /** The next number, from 1. */
  begin(): number;
  /** The first end of an attempt counts; later ones are ignored. Answers whether this was the first. */
  finish(seq: number, end: AttemptEnd): boolean;
  report(): AttemptReport;
  /** A batch with this report was answered. */
  confirm(report: AttemptReport): void;
  /** Attempts that are open, or whose end the rail has not confirmed. */
  readonly size: number;
  /** Ends that the rail has not confirmed. */
  readonly unconfirmed: number;
}

export function createAttempts(): Attempts {
  let last = 0;
  // Sets keep the order of insertion, and numbers rise: the first one is the lowest.
  const open = new Set<number>();
  const delivered = new Set<number>();
  const voids = new Map<number, VoidReason>();

  return {
    begin() {
      open.add(++last);
      return last;
    },
    finish(seq, end) {
      if (!open.delete(seq)) return false;
      if (end === "delivered") delivered.add(seq);
      else voids.set(seq, end);
      return true;
    },
    report() {
      const [lowest] = open;
      const through = lowest === undefined ? last : lowest - 1;
      const also = [...delivered].filter((seq) => seq > through);
      return { through, also, voids: [...voids].map(([seq, reason]) => ({ seq, reason })) };
    },
    confirm(report) {
      for (const { seq } of report.voids) voids.delete(seq);
      for (const seq of report.also) delivered.delete(seq);
      for (const seq of delivered) if (seq <= report.through) delivered.delete(seq);
    },
    get size() {
      return open.size + delivered.size + voids.size;
    },
    get unconfirmed() {
      return delivered.size + voids.size;
    },
  };
}
