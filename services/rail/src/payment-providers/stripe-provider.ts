/**
 * Stripe Checkout through the official SDK. Stripe receives the amount and the top-up ID, but nothing about the wallet
 * or its owner. Signatures are verified over the raw bytes with several secrets, to allow rotation.
 */
import { TOPUP_MIN_STRIPE_MICRO } from "@triptych/contracts";
import { Stripe } from "stripe";
import {
  ProviderUnavailable,
  SignatureInvalid,
  type CheckoutAsk,
  type PaymentProvider,
  type ProviderEvent,
} from "../domain/payments.ts";
import { centsOf, readEvent, readPayment, readSession } from "./stripe-events.ts";
import { createSavedPayments, idOf, isPaymentRef, type AskStripe } from "./stripe-saved.ts";

export interface StripeOptions {
  readonly secretKey: string;
  /** Signing secrets of the webhook; all are valid. */
  readonly webhookSecrets: readonly string[];
  /** API URL of an emulator; defaults to Stripe's. */
  readonly apiUrl?: string | undefined;
  readonly now: () => number;
}

/** Seconds; older events are rejected as replays. */
const TOLERANCE = 300;
/** The payer is waiting for the checkout. */
const TIMEOUT_MS = 15_000;

export function createStripeProvider({ secretKey, webhookSecrets, apiUrl, now }: StripeOptions): PaymentProvider {
  const stripe = new Stripe(secretKey, {
    ...addressOf(apiUrl),
    timeout: TIMEOUT_MS,
    maxNetworkRetries: 1,
    telemetry: false,
  });

  /**
   * Every failure becomes ProviderUnavailable, with the cause for the log. The SDK accepts any JSON without `error` as
   * success, even from a proxy, so the object type is checked.
   */
  const ask: AskStripe = async (object, call) => {
    const answer = await call().catch((cause: unknown) => {
      throw cause instanceof Stripe.errors.StripeError ? new ProviderUnavailable("stripe", cause) : cause;
    });
    if (answer.object !== object) throw new ProviderUnavailable("stripe", `the response is not a ${object} object`);
    return answer;
  };

  const paymentOf = (ref: string) => ask("payment_intent", () => stripe.paymentIntents.retrieve(ref));
  const sessionOf = (ref: string) => ask("checkout.session", () => stripe.checkout.sessions.retrieve(ref));

  function verified(raw: Buffer, signature: string): Stripe.Event {
    for (const secret of webhookSecrets) {
      try {
        return stripe.webhooks.constructEvent(raw, signature, secret, TOLERANCE, undefined, now());
      } catch (error) {
        const isOther = error instanceof Stripe.errors.StripeSignatureVerificationError;
        if (!isOther) throw new SignatureInvalid(error);
      }
    }
    throw new SignatureInvalid();
  }

  return {
    name: "stripe",
    minimumMicro: TOPUP_MIN_STRIPE_MICRO,
    async createCheckout(topup) {
      const options = { idempotencyKey: `topup:${topup.topupId}` };
      const session = await ask("checkout.session", () => stripe.checkout.sessions.create(checkoutOf(topup), options));
      const { id, url, expires_at: seconds }: Partial<typeof session> & { readonly id: string } = session;
      const expiresAt = seconds === undefined ? null : seconds * 1000;
      return { sessionRef: id, checkoutUrl: url ?? null, expiresAt, isPaid: false };
    },
    async fetch(sessionRef) {
      return isPaymentRef(sessionRef)
        ? readPayment(await paymentOf(sessionRef))
        : readSession(await sessionOf(sessionRef));
    },
    async refund({ id, sessionRef, amountMicro }) {
      const payment = isPaymentRef(sessionRef) ? sessionRef : idOf((await sessionOf(sessionRef)).payment_intent);
      if (payment === null) throw new ProviderUnavailable("stripe", `${sessionRef} has no payment`);
      const refund = { payment_intent: payment, amount: centsOf(amountMicro), metadata: { topup_id: id } };
      await ask("refund", () => stripe.refunds.create(refund, { idempotencyKey: `refund:${id}` }));
    },
    saved: createSavedPayments({ stripe, ask, sessionOf, paymentOf }),
    async verifyWebhook(raw, headers) {
      const event = verified(raw, String(headers["stripe-signature"] ?? ""));
      const read = readEvent(event);
      if (read === null) return null;
      const { created }: Partial<Stripe.Event> = event;
      const news = { ...read, ...(created !== undefined && { happenedAt: created * 1000 }) };
      if ("topupId" in news) return news;
      const { payment, ...rest } = news;
      const found = payment === null ? null : await paymentOf(payment);
      return { ...rest, sessionRef: null, topupId: found?.metadata["topup_id"] ?? null } satisfies ProviderEvent;
    },
  };
}

/** Always in euros, whatever the country, so that the credited amount is the requested one. */
function checkoutOf(topup: CheckoutAsk): Stripe.Checkout.SessionCreateParams {
  const { topupId, amountMicro, successUrl, cancelUrl, savesMethod } = topup;
  const metadata = { topup_id: topupId };
  const price = { currency: "eur", unit_amount: centsOf(amountMicro), product_data: { name: "Prepaid balance" } };
  return {
    mode: "payment",
    line_items: [{ quantity: 1, price_data: price }],
    adaptive_pricing: { enabled: false },
    metadata,
    payment_intent_data: { metadata, ...(savesMethod && { setup_future_usage: "off_session" }) },
    // A saved method belongs to a customer object, for which no name or address is sent.
    ...(savesMethod && { customer_creation: "always" }),
    success_url: successUrl,
    cancel_url: cancelUrl,
  };
}

function addressOf(apiUrl: string | undefined) {
  if (apiUrl === undefined) return {};
  const { protocol, hostname, port } = new URL(apiUrl);
  const isPlain = protocol === "http:";
  return {
    host: hostname,
    port: port === "" ? (isPlain ? 80 : 443) : port,
    protocol: isPlain ? "http" : "https",
  } as const;
}
