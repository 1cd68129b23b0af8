/** Records of a campaign, for judging the ledger. */

/** A client's intent: with a key, many requests mean one decision. */
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
  /** Starter credit and top-up. */
  readonly creditedMicro: number;
  /** Null for the main token. */
  readonly tokenId: string | null;
  /** Whether the token or its wallet has a cap, which may refuse a call. */
  readonly isCapped: boolean;
}

/** One request of a call, with its end as the client saw it. */
export interface Try {
  readonly id: string;
  readonly call: Call;
  readonly gateway: string;
  /** `left`: the client disconnected; `broken`: another party did, or there was no connection. */
  readonly end: "answered" | "left" | "broken";
  /** Status of a complete response; otherwise 0. */
  readonly status: number;
  readonly receipt: string | null;
  readonly chargeId: string | null;
  readonly isReplay: boolean;
  readonly body: string;
}

/**
 * A gateway's record of itself, in order. Without timestamps: a process that waits for the CPU lets time pass, and
 * clocks differ. *Beats* are a clock that stops with the process.
 */
export type GatewayNote =
  | Finish
  | Confirmed
  /**
   * `begun`: a new process has the slot. `beat`: `TICK_MS` have passed by the gateway's timers. `sent`: a batch was
   * sent. `lost`: the rail refused it, or the result is unknown.
   */
  | { readonly kind: "begun" | "beat" | "sent" | "lost" };

/** The rail confirmed the last batch: the ends of these attempts. */
export interface Confirmed extends Acknowledged {
  readonly kind: "confirmed";
}

/** As in a batch. */
export interface Acknowledged {
  readonly boot: string;
  readonly through: number;
  readonly also: readonly number[];
}

/** A response that the gateway has fully handed to the kernel. */
export interface Finish {
  readonly kind: "finish";
  readonly chargeId: string;
  /** The try of this response. */
  readonly tryId: string;
}

/** The acknowledgement interval: timers of equal length fire in the order in which they were set. */
export const TICK_MS = 25;

export interface Kill {
  /** Name of the slot. */
  readonly victim: string;
  readonly kind: PostKind;
  /** Unanswered calls at that gateway when it was killed. */
  readonly inFlight: number;
}

export type PostKind = "rail" | "router" | "gateway";

/** A broken invariant. */
export interface Violation {
  readonly law: string;
  readonly message: string;
}
