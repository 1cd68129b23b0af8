/**
 * The messages of one run in the order of their `seq`, each once, however often a stream sends them. What does not follow on is not taken:
 * it is read again from the hole on. A `gap` stands for what is no longer kept, up to its own number.
 */
import type { BusMessage } from "@triptych/contracts";

export interface BusLog {
  readonly lastSeq: number;
  /** Whether this is the next message, one that was there before, or one before which others are missing. */
  add(message: Pick<BusMessage, "seq" | "kind">): "new" | "known" | "hole";
}

export function createBusLog(): BusLog {
  let lastSeq = 0;
  return {
    get lastSeq() {
      return lastSeq;
    },
    add({ seq, kind }) {
      if (seq <= lastSeq) return "known";
      if (seq !== lastSeq + 1 && kind !== "gap") return "hole";
      lastSeq = seq;
      return "new";
    },
  };
}
