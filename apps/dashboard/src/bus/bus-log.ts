/**
 * The messages of one run in the order of their `seq`, each once, however often a stream sends them. What does not follow on is not taken:
 * it is read again from the hole on. A `gap` stands for what is no longer kept, up to its own number.
 */
import type { BusMessage } from "@triptych/contracts";

export interface BusLog {
  readonly messages: readonly BusMessage[];
  readonly lastSeq: number;
  add(message: BusMessage): "new" | "known" | "hole";
}

export function createBusLog(): BusLog {
  const messages: BusMessage[] = [];
  let lastSeq = 0;
  return {
    messages,
    get lastSeq() {
      return lastSeq;
    },
    add(message) {
      if (message.seq <= lastSeq) return "known";
      if (message.seq !== lastSeq + 1 && message.kind !== "gap") return "hole";
      messages.push(message);
      lastSeq = message.seq;
      return "new";
    },
  };
}
