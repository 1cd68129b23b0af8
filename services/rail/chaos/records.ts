/** What the campaign writes down while it runs, and holds the ledger against afterwards. */

/** What a client wants: with a key it may be asked many times and means one decision. */
export interface Call {
  readonly id: string;
  readonly wallet: CallerWallet;
  readonly key: string | null;
  /** The body that is sent. */
  readonly state: string;
}

export interface CallerWallet {
  readonly id: string;
  readonly token: string;
  /** Starter credit and top-up. */
  readonly creditedMicro: number;
}

/** One request of a call, as its client saw it end. */
export interface Try {
  readonly id: string;
  readonly call: Call;
  readonly gateway: string;
  /** `left`: the client itself broke the connection; `broken`: somebody else did, or there was none. */
  readonly end: "answered" | "left" | "broken";
  /** Of an answer whose whole body has arrived; 0 else. */
  readonly status: number;
  readonly receipt: string | null;
  readonly chargeId: string | null;
  readonly isReplay: boolean;
  readonly body: string;
}

/**
 * What a gateway writes down of itself, in the order in which it happened. There are no times in it: a process that has to wait for the
 * processor lets time pass in which it can do nothing, and of two processes each has a clock of its own. Its *beats* are a clock that
 * stands still while it does.
 */
export type GatewayNote =
  | Finish
  | Confirmed
  /**
   * `begun`: another process has taken the post. `beat`: `BEAT_MS` have passed, by the timers of the gateway. `sent`: a batch leaves.
   * `lost`: the rail has not taken it, or nobody knows.
   */
  | { readonly kind: "begun" | "beat" | "sent" | "lost" };

/** The rail has answered the batch that was sent last: of these attempts it knows the end. */
export interface Confirmed extends Acknowledged {
  readonly kind: "confirmed";
}

/** As in a batch. */
export interface Acknowledged {
  readonly boot: string;
  readonly through: number;
  readonly also: readonly number[];
}

/** An answer that a gateway has handed to the kernel whole. */
export interface Finish {
  readonly kind: "finish";
  readonly chargeId: string;
  /** The try that it answered. */
  readonly tryId: string;
}

/** As long as an end waits for company: timers of one length go off in the order in which they were set. */
export const TICK_MS = 25;

export interface Kill {
  /** Name of the post. */
  readonly victim: string;
  readonly kind: PostKind;
  /** Calls without an answer at that gateway when it died. */
  readonly inFlight: number;
}

export type PostKind = "rail" | "router" | "gateway";

/** Something that must not be. */
export interface Violation {
  readonly law: string;
  readonly message: string;
}
