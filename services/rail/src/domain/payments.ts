/**
 * Where the money of top-ups comes from. A provider makes a checkout, tells what became of it (by signed events, and when asked), and
 * gives money back. Each is idempotent by the top-up's id: called again after an answer was lost, it does nothing twice.
 */
import type { ProviderName } from "@triptych/contracts";
import type { LedgerTopup, TopupEvent } from "./topup-state.ts";

export interface PaymentProvider {
  readonly name: ProviderName;
  /** Smallest top-up that makes sense there. */
  readonly minimumMicro: number;
  createCheckout(topup: CheckoutAsk): Promise<Checkout>;
  /** What has become of the checkout; null while nothing has. Throws ProviderUnavailable. */
  fetch(sessionRef: string): Promise<TopupEvent | null>;
  /** Throws ProviderUnavailable. */
  refund(topup: LedgerTopup & { readonly sessionRef: string }): Promise<void>;
  /** null: this provider sends no events. */
  readonly verifyWebhook: VerifyWebhook | null;
}

export interface CheckoutAsk {
  readonly topupId: string;
  readonly amountMicro: number;
  /** Where the payer goes afterwards. */
  readonly successUrl: string;
  readonly cancelUrl: string;
}

export interface Checkout {
  readonly sessionRef: string;
  /** null where there is nothing to do for the payer at the provider's. */
  readonly checkoutUrl: string | null;
  readonly expiresAt: number | null;
  /** The money is there already. */
  readonly isPaid: boolean;
}

/** Reads the bytes as they came. Throws SignatureInvalid, or ProviderUnavailable where it has to ask back; null: nothing of ours. */
export type VerifyWebhook = (
  raw: Buffer,
  headers: Readonly<Record<string, string | string[] | undefined>>,
) => Promise<ProviderEvent | null>;

/** What an event says, and about which top-up: by the name of its checkout, or by our own id where the event carries no other. */
export interface ProviderEvent {
  readonly sessionRef: string | null;
  readonly topupId: string | null;
  /** The provider's name of what happened (a dispute, a charge, a checkout), the same however often it is told. */
  readonly about: string;
  readonly event: TopupEvent | null;
  /** When it happened, as far as the event says. */
  readonly happenedAt?: number;
  /** For the operator, where an event needs a decision that no rule can take. */
  readonly remark?: string;
}

export class SignatureInvalid extends Error {
  constructor(cause?: unknown) {
    super("The event was not signed with a secret of this endpoint, or too long ago.", { cause });
    this.name = "SignatureInvalid";
  }
}

/** It did not answer, or not as it should. Nothing is known about what was asked: it may have happened. */
export class ProviderUnavailable extends Error {
  constructor(provider: ProviderName, cause: unknown) {
    super(`The payment provider ${provider} cannot be reached.`, { cause });
    this.name = "ProviderUnavailable";
  }
}
