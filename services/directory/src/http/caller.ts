/**
 * Who calls, and what the call may cost: the credential and rate-limit steps of a request. A caller is admitted before its
 * input is read; what it really received is settled when the answer has left, so nothing undelivered is billed.
 */
import type { Plan } from "../domain/plans.ts";

/** A caller whose request was admitted: it counts in its minute, and `granted` items are reserved for it. */
export interface Caller {
  readonly plan: Plan;
  /** Items that may be sent in this answer: what was wanted, or what is left of the day. */
  readonly granted: number;
  /**
   * Throws `quota_exceeded` when nothing is left of the day although items were wanted. Such a request is refused at once,
   * unless it is conditional: then only when the answer would hold an item.
   */
  refuseExhausted(): void;
  /** Notes what this answer holds and writes the headers that tell what is left. A stream notes again as it goes. */
  note(sent: { readonly items: number; readonly geo: boolean }): void;
}
