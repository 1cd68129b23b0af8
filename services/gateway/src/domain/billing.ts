/**
 * The billing interface: checks whether a wallet may call, and charges for a response. Only the implementation knows
 * the rail.
 */
import type {
  ChargeRefusal,
  AnswerOf,
  BodyOf,
  DeliveredCharge,
  findDelivered,
  getCatalog,
  ReachedCap,
} from "@triptych/contracts";

export interface DecisionBilling {
  /** With a key, the balance is checked by `sell` instead, because a replay costs nothing. */
  admit(asking: AdmissionRequest): Promise<Admission>;
  /** The request digest of a receipt, over the path and the canonical body. */
  digestOf(request: { readonly path: string; readonly canonicalBody: string }): string;
  /** Charges for a complete response. Every `charged` result must end with `delivered` or `aborted`. */
  sell(request: SellRequest): Promise<SellResult>;
  /** The delivered charge of this key with its response; null if there is none or the rail is unavailable. */
  recall(call: KeyedCall): Promise<Replayed | null>;
}

export interface AdmissionRequest {
  readonly walletHash: string;
  readonly isKeyed: boolean;
  /** Null for a call that is not charged. */
  readonly op: string | null;
}

/** Figures that the caller may see: the balance, and the part that its token can spend now. */
export interface Meter {
  readonly balanceMicro: number;
  readonly spendableMicro: number;
}

export type Admission =
  | ({ readonly kind: "admitted"; readonly walletId: string } & Meter)
  | (Denied & { readonly walletId?: string });

export interface Call {
  readonly walletHash: string;
  readonly walletId: string;
  readonly key: string | null;
  readonly op: string;
  readonly req: string;
}

export interface KeyedCall extends Call {
  readonly key: string;
}

export interface SellRequest extends Call {
  readonly answer: Uint8Array;
}

export type SellResult = Charged | Replayed | Denied;

export interface Billed extends Meter {
  readonly chargeId: string;
  readonly receipt: string;
}

export interface Charged extends Billed {
  readonly kind: "charged";
  /** Aborts if the charge is reversed; the response must then not be sent. */
  readonly signal: AbortSignal;
  readonly delivered: () => void;
  readonly aborted: (reason: "client_gone" | "aborted") => void;
}

/** A response was already delivered for this key: same bytes, same receipt. */
export interface Replayed extends Billed {
  readonly kind: "replayed";
  readonly answer: Uint8Array;
}

export type Denied =
  | {
      readonly kind: "refused";
      readonly code: ChargeRefusal;
      /** Null if the wallet is unknown. */
      readonly balanceMicro: number | null;
      readonly spendableMicro: number | null;
      /** With `cap_reached`: the cap that was reached. */
      readonly reached: ReachedCap | null;
    }
  | { readonly kind: "unavailable"; readonly code: "rail_unavailable" | "overloaded" };

export interface RailTerms extends Omit<AnswerOf<typeof getCatalog>, "items"> {
  readonly customHeadMicro: number;
}

export interface RailFacts {
  /** Whether the wallet has made this purchase; null if the rail is unavailable. */
  isEntitled(purchase: {
    readonly walletHash: string;
    readonly sku: string;
    readonly ref: string;
  }): Promise<boolean | null>;
  /** The delivered charge of a key for this request; null if there is none or the rail is unavailable. */
  delivered(query: BodyOf<typeof findDelivered>): Promise<DeliveredCharge | null>;
  /** The last known terms; null before the first response. */
  terms(): Promise<RailTerms | null>;
  /** Whether the rail is ready; cached for a second. */
  isHealthy(): Promise<boolean>;
}
