/** The records of a campaign, against which the ledger is judged. */

/** What a client wants: with a key, several requests stand for one decision. */
export interface Call {
  readonly id: string;
  readonly wallet: CallerWallet;
  readonly key: string | null;
  /** The request body. */
  readonly state: string;
}

export interface CallerWallet {
  readonly id: string;
  readonly token: string;
  /** The sum of starter credit and top-up. */
  readonly creditedMicro: number;
  /** Null for the main token. */
  readonly tokenId: string | null;
  /** Whether the token or its wallet has a cap, which may refuse a call. */
  readonly isCapped: boolean;
}

/** One request of a call, and how it ended for the client. */
export interface Try {
  readonly id: string;
  readonly call: Call;
  readonly gateway: string;
  /** `left`: the client disconnected. `broken`: the other side disconnected, or there was no connection. */
  readonly end: "answered" | "left" | "broken";
  /** Status of a complete response, or 0. */
  readonly status: number;
  readonly receipt: string | null;
  readonly chargeId: string | null;
  readonly isReplay: boolean;
  readonly body: string;
}

/**
 * A note in the record that a gateway writes about itself, in order. Notes have no timestamps, because time passes
 * while a process waits for the CPU, and clocks differ. *Beats* are a clock that stops when the process stops.
 */
export type GatewayNote =
  | Finish
  | Confirmed
  /**
   * `begun`: a new process has the slot. `beat`: `TICK_MS` have passed by the gateway's timers. `sent`: a batch was
   * sent. `lost`: the rail refused it, or the result is unknown.
   */
  | { readonly kind: "begun" | "beat" | "sent" | "lost" };

/** The rail confirmed the last batch, and thus the ends of these attempts. */
export interface Confirmed extends Acknowledged {
  readonly kind: "confirmed";
}

/** The acknowledgment as in a batch. */
export interface Acknowledged {
  readonly boot: string;
  readonly through: number;
  readonly also: readonly number[];
}

/** A response that the gateway has fully handed to the kernel. */
export interface Finish {
  readonly kind: "finish";
  readonly chargeId: string;
  /** The request of this response. */
  readonly tryId: string;
}

/** The interval between acknowledgments. Timers of equal length fire in the order in which they were set. */
export const TICK_MS = 25;

export interface Kill {
  /** Name of the slot. */
  readonly victim: string;
  readonly kind: PostKind;
  /** Number of unanswered calls at that gateway when it was killed. */
  readonly inFlight: number;
}

export type PostKind = "rail" | "router" | "gateway";

/** A broken invariant. */
export interface Violation {
  readonly law: string;
  readonly message: string;
}
