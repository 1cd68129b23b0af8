/** The billing interface: whether a wallet may call, and the sale of a response. Only its implementation knows the rail. */
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
  /** With a key, the balance is checked at the sale: a replay costs nothing. */
  admit(asking: AdmissionRequest): Promise<Admission>;
  /** The request digest of a receipt: over the path and the canonical body. */
  digestOf(request: { readonly path: string; readonly canonicalBody: string }): string;
  /** Charges for a complete response. Every `charged` result must be ended: delivered or aborted. */
  sell(request: SellRequest): Promise<SellResult>;
  /** The stored sale of this key; null when there is none or the rail is unavailable. */
  recall(call: KeyedCall): Promise<Replayed | null>;
}

export interface AdmissionRequest {
  readonly walletHash: string;
  readonly isKeyed: boolean;
  /** Null for a call that is not charged. */
  readonly op: string | null;
}

/** What a caller may see: the balance, and what its token can spend of it now. */
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
  /** Aborts when the charge was reversed: the response must not be sent any more. */
  readonly signal: AbortSignal;
  readonly delivered: () => void;
  readonly aborted: (reason: "client_gone" | "aborted") => void;
}

/** The key was delivered before: the same bytes under the same receipt. */
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
      /** `cap_reached`: which one. */
      readonly reached: ReachedCap | null;
    }
  | { readonly kind: "unavailable"; readonly code: "rail_unavailable" | "overloaded" };

export interface RailTerms extends Omit<AnswerOf<typeof getCatalog>, "items"> {
  readonly customHeadMicro: number;
}

export interface RailFacts {
  /** Whether the wallet has bought this; null when the rail is unavailable. */
  isEntitled(purchase: {
    readonly walletHash: string;
    readonly sku: string;
    readonly ref: string;
  }): Promise<boolean | null>;
  /** The delivered charge of a key for this request; null when there is none or the rail is unavailable. */
  delivered(query: BodyOf<typeof findDelivered>): Promise<DeliveredCharge | null>;
  /** The last known terms; null before the first response. */
  terms(): Promise<RailTerms | null>;
  /** Whether the rail is ready; cached for a second. */
  isWell(): Promise<boolean>;
}
