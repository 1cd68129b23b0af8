/** What the gateway asks of the money: may this wallet ask, and what is this answer worth. The till knows the rail; nobody else does. */
import type { ChargeRefusal } from "@triptych/contracts";

export interface DecisionBilling {
  /** With a key the balance is left to the sale: a replay needs no money. */
  admit(asking: { readonly walletHash: string; readonly isKeyed: boolean }): Promise<Admission>;
  /** What a receipt calls the question: of the path, and of the body in canonical form. */
  digestOf(request: { readonly path: string; readonly canonicalBody: string }): string;
  /** Takes the money for an answer that is complete. What is `charged` has to be ended: delivered or aborted. */
  sell(request: SellRequest): Promise<SellResult>;
  /** What was sold under the key before, where there is nothing new to sell; null where nothing was, or that cannot be told. */
  recall(call: KeyedCall): Promise<Replayed | null>;
}

export type Admission =
  | { readonly kind: "admitted"; readonly walletId: string; readonly balanceMicro: number }
  | (Denied & { readonly walletId?: string });

export interface Call {
  readonly walletHash: string;
  readonly walletId: string;
  /** The client's Idempotency-Key. */
  readonly key: string | null;
  readonly op: string;
  /** Digest of what was asked. */
  readonly req: string;
}

export interface KeyedCall extends Call {
  readonly key: string;
}

export interface SellRequest extends Call {
  /** The bytes that will be sent. */
  readonly answer: Uint8Array;
}

export type SellResult = Charged | Replayed | Denied;

export interface Billed {
  readonly chargeId: string;
  readonly receipt: string;
  readonly balanceMicro: number;
}

export interface Charged extends Billed {
  readonly kind: "charged";
  /** Aborted when the charge was reversed meanwhile: an answer that has not left must not leave. */
  readonly signal: AbortSignal;
  readonly delivered: () => void;
  readonly aborted: (reason: "client_gone" | "aborted") => void;
}

/** The key was delivered before: these bytes, under this receipt. */
export interface Replayed extends Billed {
  readonly kind: "replayed";
  readonly answer: Uint8Array;
}

export type Denied =
  | { readonly kind: "refused"; readonly code: ChargeRefusal; readonly balanceMicro: number | null }
  | { readonly kind: "unavailable"; readonly code: "rail_unavailable" | "overloaded" };
