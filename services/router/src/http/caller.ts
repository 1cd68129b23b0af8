/** Who calls, as the handlers see it. */
export interface Caller {
  /** Whose heads may be asked: `local` on an appliance, the id of a wallet behind a gateway. */
  readonly owner: string;
  /** A gateway that asks whether an order of a head is without fault, before it asks for money: nothing is made. */
  readonly isOnlyAsking: boolean;
}
