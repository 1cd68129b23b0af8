/**
 * Payments with a saved method (off-session PaymentIntents). The reference of a method is `<customer> <method>`, both
 * Stripe IDs.
 */
import { Stripe } from "stripe";
import { ProviderUnavailable, type AutomaticTopup, type SavedPayment, type SavedPayments } from "../domain/payments.ts";
import { AUTOMATIC, centsOf, refusalOf } from "./stripe-events.ts";

export type AskStripe = <T extends { readonly object: string }>(
  object: T["object"],
  call: () => Promise<T>,
) => Promise<T>;

export interface SavedParts {
  readonly stripe: Stripe;
  readonly ask: AskStripe;
  readonly sessionOf: (ref: string) => Promise<Stripe.Checkout.Session>;
  readonly paymentOf: (ref: string) => Promise<Stripe.PaymentIntent>;
}

/** A checkout's reference begins with `cs_`. */
export function isPaymentRef(ref: string): boolean {
  return ref.startsWith("pi_");
}

export function idOf(value: string | { readonly id: string } | null | undefined): string | null {
  return typeof value === "string" ? value : (value?.id ?? null);
}

export function createSavedPayments({ stripe, ask, sessionOf, paymentOf }: SavedParts): SavedPayments {
  return {
    async methodOf(sessionRef) {
      const payment = idOf((await sessionOf(sessionRef)).payment_intent);
      if (payment === null) return null;
      const found = await paymentOf(payment);
      const { setup_future_usage, customer, payment_method }: Partial<Stripe.PaymentIntent> = found;
      const [owner, method] = [idOf(customer), idOf(payment_method)];
      return setup_future_usage !== "off_session" || owner === null || method === null ? null : `${owner} ${method}`;
    },
    async charge(topup) {
      const create = () => stripe.paymentIntents.create(paymentParams(topup), { idempotencyKey: `auto:${topup.id}` });
      try {
        return { sessionRef: (await ask("payment_intent", create)).id, refused: null };
      } catch (error) {
        return refusalIn(error);
      }
    },
    async find({ id, paymentRef, createdAt }) {
      const [customer = ""] = paymentRef.split(" ");
      // Search from before its local creation time, because Stripe's clock may be behind.
      const created = { gte: Math.floor(createdAt / 1000) - CLOCK_SKEW_S };
      const { data } = await ask("list", () => stripe.paymentIntents.list({ customer, created, limit: 100 }));
      return data.find(({ metadata }) => metadata["topup_id"] === id)?.id ?? null;
    },
  };
}

const CLOCK_SKEW_S = 3600;

function paymentParams({ id, amountMicro, paymentRef }: AutomaticTopup): Stripe.PaymentIntentCreateParams {
  const [customer = "", method = ""] = paymentRef.split(" ");
  return {
    amount: centsOf(amountMicro),
    currency: "eur",
    customer,
    payment_method: method,
    off_session: true,
    confirm: true,
    // The payer is not present, so methods that redirect cannot succeed.
    automatic_payment_methods: { enabled: true, allow_redirects: "never" },
    metadata: { topup_id: id, ...AUTOMATIC },
  };
}

/**
 * A declined card and an unknown method are final. Everything else counts as an outage, after which the key makes a
 * retry safe. This includes the 409 for a retry during the first call.
 */
function refusalIn(error: unknown): SavedPayment {
  const cause = error instanceof ProviderUnavailable ? error.cause : null;
  if (cause instanceof Stripe.errors.StripeCardError)
    return { sessionRef: cause.payment_intent?.id ?? null, refused: refusalOf(cause.code) };
  const isInvalid = cause instanceof Stripe.errors.StripeInvalidRequestError;
  if (isInvalid && (cause.statusCode === 400 || cause.statusCode === 404))
    return { sessionRef: null, refused: "rejected" };
  throw error;
}
