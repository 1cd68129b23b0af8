export interface Caller {
  /** Owner of the usable heads: `local` on an appliance, a wallet id behind a gateway. */
  readonly owner: string;
  /** A gateway validates a training request before it requires payment: nothing is created. */
  readonly isOnlyAsking: boolean;
}
