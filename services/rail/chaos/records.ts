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
  readonly givenMicro: number;
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

/** An answer that a gateway has handed to the kernel whole. */
export interface Finish {
  readonly chargeId: string;
  /** The try that it answered. */
  readonly tryId: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface Kill {
  /** Name of the post. */
  readonly victim: string;
  readonly kind: PostKind;
  /** When it was gone, milliseconds since 1970. */
  readonly at: number;
  /** Calls without an answer at that gateway when it died. */
  readonly inFlight: number;
}

export type PostKind = "rail" | "router" | "gateway";

/** Something that must not be. */
export interface Violation {
  readonly law: string;
  readonly message: string;
}
