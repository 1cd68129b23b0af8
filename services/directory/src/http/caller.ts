/** Who calls, as the handlers see it. */
import type { Entry, KeyHolder } from "../domain/access.ts";
import type { Plan } from "../domain/plans.ts";

/** A caller whose request was admitted: it counts in its minute, and `granted` items are reserved for it. */
export interface Caller {
  readonly holder: KeyHolder;
  readonly entry: Entry;
  readonly plan: Plan;
  /** Items that may be sent in this answer: what was wanted, or what is left of the day. */
  readonly granted: number;
  /**
   * Throws `quota_exceeded` when nothing is left of the day although items were wanted. Such a request is refused at once,
   * unless it is conditional: then only when the answer would hold an item.
   */
  refuseExhausted(): void;
  /** Notes what this answer holds, for its headers and for the books. A stream notes again as it goes. */
  note(sent: Sent): void;
}

export interface Sent {
  readonly items: number;
  readonly geo: boolean;
  /** True for a stream: what it wrote counts also when it breaks. A page is delivered whole or not at all. */
  readonly partial?: boolean;
  /** Of a stream that begins: the items that it is to send, which its headers count as gone. */
  readonly expected?: number;
}
