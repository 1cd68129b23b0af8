/** State table of a charge. An event without a row for the current state changes nothing. */
import type { ChargeState } from "@triptych/contracts";

export type ChargeEvent = "acknowledge" | "void" | "refund";

const TABLE: Readonly<Record<ChargeState, Partial<Record<ChargeEvent, ChargeState>>>> = {
  posted: { acknowledge: "delivered", void: "voided" },
  delivered: { refund: "refunded" },
  voided: {},
  refunded: {},
};

/** The next state, or null if the event changes nothing. */
export function chargeAfter(state: ChargeState, event: ChargeEvent): ChargeState | null {
  return TABLE[state][event] ?? null;
}
