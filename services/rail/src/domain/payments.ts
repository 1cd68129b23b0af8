/**
 * Payment providers for top-ups. A provider creates a checkout, reports its result (in signed events and on request)
 * and makes refunds. Calls are idempotent by the top-up's ID, so a retry after a lost response has no second effect.
 */
import type { AutoTopupStop, ProviderName } from "@triptych/contracts";
import type { LedgerTopup, TopupEvent } from "./topup-state.ts";

export interface PaymentProvider {
  readonly name: ProviderName;
  readonly minimumMicro: number;
  createCheckout(topup: CheckoutAsk): Promise<Checkout>;
  /** Returns the result of the checkout; null while it is open. Throws ProviderUnavailable. */
  fetch(sessionRef: string): Promise<TopupEvent | null>;
  /** Throws ProviderUnavailable. */
  refund(topup: LedgerTopup & { readonly sessionRef: string }): Promise<void>;
  /** Null if the provider cannot charge a payer who is not present. */
  readonly saved: SavedPayments | null;
  /** Null if the provider sends no events. */
  readonly verifyWebhook: VerifyWebhook | null;
}

export interface CheckoutAsk {
  readonly topupId: string;
  readonly amountMicro: number;
  readonly successUrl: string;
  readonly cancelUrl: string;
  /** Saves the payment method for automatic top-ups. */
  readonly savesMethod: boolean;
}

/** Payments with the method that a checkout saved, without the payer being present. */
export interface SavedPayments {
  /** The method that this paid checkout saved; null if none. Throws ProviderUnavailable. */
  methodOf(sessionRef: string): Promise<string | null>;
  /** Makes one payment per top-up, however often it is called within a day. Throws ProviderUnavailable. */
  charge(topup: AutomaticTopup): Promise<SavedPayment>;
  /** An earlier payment of this top-up, without charging; null if there is none. Throws ProviderUnavailable. */
  find(topup: AutomaticTopup): Promise<string | null>;
}

export type AutomaticTopup = Pick<LedgerTopup, "id" | "amountMicro" | "createdAt"> & { readonly paymentRef: string };

/** `sessionRef` identifies the payment for `fetch`; a declined payment may have none. */
export type SavedPayment =
  | { readonly sessionRef: string; readonly refused: null }
  | { readonly sessionRef: string | null; readonly refused: AutoTopupStop };

export interface Checkout {
  readonly sessionRef: string;
  /** Null if the payer has nothing to do at the provider. */
  readonly checkoutUrl: string | null;
  readonly expiresAt: number | null;
  /** The money has already arrived. */
  readonly isPaid: boolean;
}

/**
 * Reads the raw bytes. Throws SignatureInvalid, or ProviderUnavailable if it has to query the provider. Null if the
 * event is not about a top-up of this rail.
 */
export type VerifyWebhook = (
  raw: Buffer,
  headers: Readonly<Record<string, string | string[] | undefined>>,
) => Promise<ProviderEvent | null>;

/** An event and its top-up, which is identified by the checkout, or by the top-up's ID if the event has no checkout. */
export interface ProviderEvent {
  readonly sessionRef: string | null;
  readonly topupId: string | null;
  /** The provider's ID of the subject (a dispute, a charge, a checkout), which is the same for repeated events. */
  readonly about: string;
  readonly event: TopupEvent | null;
  /** When it happened, if the event contains it. */
  readonly happenedAt?: number;
  /** Message for the operator, if the event needs a manual decision. */
  readonly remark?: string;
}

export class SignatureInvalid extends Error {
  constructor(cause?: unknown) {
    super("The signature of the event is invalid for this endpoint, or too old.", { cause });
    this.name = "SignatureInvalid";
  }
}

/** The provider did not respond, or its response is invalid. The request may have taken effect. */
export class ProviderUnavailable extends Error {
  constructor(provider: ProviderName, cause: unknown) {
    super(`The payment provider ${provider} is unreachable.`, { cause });
    this.name = "ProviderUnavailable";
  }
}
