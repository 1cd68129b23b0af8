/**
 * Charge attempts of one boot and their reports. `voids` contains every undelivered attempt, even a rejected one,
 * because a delayed copy of the request could be charged after a top-up. Outcomes are repeated until confirmed, so the
 * watermark never skips a void.
 */
import type { VoidReason } from "@triptych/contracts";

export type AttemptEnd = "delivered" | VoidReason;

/** The part of a batch that reports attempts: `ack` and `voids` of the contract. */
export interface AttemptReport {
  readonly through: number;
  readonly also: readonly number[];
  readonly voids: readonly { readonly seq: number; readonly reason: VoidReason }[];
}

export interface Attempts {
  begin(): number;
  /** Records the end of an attempt. Only the first call counts; returns whether this was the first. */
  finish(seq: number, end: AttemptEnd): boolean;
  report(): AttemptReport;
  confirm(report: AttemptReport): void;
  /** Number of attempts that are open, or whose end is unconfirmed. */
  readonly size: number;
  readonly unconfirmed: number;
}

export function createAttempts(): Attempts {
  let last = 0;
  // Sets keep insertion order and the numbers ascend, so the first is the lowest.
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
