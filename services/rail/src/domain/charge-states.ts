/** What may become of a charge. A charge that is not in this table for an event is left as it is. */
import type { ChargeState } from "@triptych/contracts";

export type ChargeEvent = "acknowledge" | "void" | "refund";

const TABLE: Readonly<Record<ChargeState, Partial<Record<ChargeEvent, ChargeState>>>> = {
  posted: { acknowledge: "delivered", void: "voided" },
  delivered: { refund: "refunded" },
  voided: {},
  refunded: {},
};

/** The state after the event, or null when the event changes nothing in this state. */
export function chargeAfter(state: ChargeState, event: ChargeEvent): ChargeState | null {
  return TABLE[state][event] ?? null;
}
