/**
 * The messages of one run by `seq`, deduplicated. If messages are missing before a message, it is rejected, and the stream is read again
 * from the gap. A `gap` stands for dropped messages up to its own number.
 */
import type { BusMessage } from "@triptych/contracts";

export interface BusLog {
  readonly lastSeq: number;
  /** Whether this message is the next one, a duplicate, or follows a hole. */
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
