/** Maps Stripe events and objects to top-up events. */
import type { AutoTopupStop } from "@triptych/contracts";
import type { Stripe } from "stripe";
import type { ProviderEvent } from "../domain/payments.ts";
import type { TopupEvent } from "../domain/topup-state.ts";

/** Stripe amounts are in cents. */
const CENT_MICRO = 10_000;

export function microOf(cents: number): number {
  return cents * CENT_MICRO;
}

export function centsOf(amountMicro: number): number {
  return amountMicro / CENT_MICRO;
}

/** An event whose top-up must be looked up at Stripe. */
export interface UnnamedNews extends Omit<ProviderEvent, "topupId" | "sessionRef"> {
  readonly payment: string | null;
}

/** Null for an irrelevant event type. */
export function readEvent(event: Stripe.Event): ProviderEvent | UnnamedNews | null {
  if (event.type === "checkout.session.completed" || event.type === "checkout.session.async_payment_succeeded")
    return sessionNews(event.data.object, paidEvent(event.data.object));
  if (event.type === "checkout.session.async_payment_failed") return sessionNews(event.data.object, { kind: "failed" });
  if (event.type === "checkout.session.expired") return sessionNews(event.data.object, { kind: "expired" });
  if (event.type === "payment_intent.succeeded" || event.type === "payment_intent.payment_failed")
    return paymentNews(event.data.object);
  if (event.type === "charge.refunded") return refundNews(event.data.object);
  if (event.type === "charge.dispute.created" || event.type === "charge.dispute.funds_withdrawn")
    return disputeNews(event.data.object, { kind: "disputed" });
  if (event.type === "charge.dispute.funds_reinstated") return disputeNews(event.data.object, { kind: "dispute_won" });
  if (event.type === "charge.dispute.closed") return disputeNews(event.data.object, endOf(event.data.object));
  return null;
}

/** The event that a fetched session implies. */
export function readSession(session: Stripe.Checkout.Session): TopupEvent | null {
  if (session.status === "expired") return { kind: "expired" };
  return paidEvent(session);
}

/** Marks payments with a saved method. A checkout also has a payment, but it may fail many times before it is paid. */
export const AUTOMATIC = { automatic: "1" };

/** The event that a payment with a saved method implies; null while a bank processes it. */
export function readPayment(payment: Partial<Stripe.PaymentIntent>): TopupEvent | null {
  const { status, amount_received, currency, last_payment_error } = payment;
  if (status === "succeeded") {
    return {
      kind: "paid",
      ...(amount_received != null && { amountMicro: microOf(amount_received) }),
      ...(currency != null && { currency }),
    };
  }
  if (status === "processing") return null;
  return { kind: "failed", reason: refusalOf(last_payment_error?.code) };
}

export function refusalOf(code: string | null | undefined): AutoTopupStop {
  return code === "authentication_required" ? code : "declined";
}

function paymentNews(payment: Stripe.PaymentIntent): ProviderEvent | null {
  const { id, metadata } = payment;
  if (metadata["automatic"] !== AUTOMATIC.automatic) return null;
  return { sessionRef: id, topupId: metadata["topup_id"] ?? null, about: id, event: readPayment(payment) };
}

/**
 * Only `paid` means that the money arrived. A completed checkout may be `unpaid`, because a bank debit takes days and
 * may fail. A missing amount (null, or absent in another API version) does not count as a different amount.
 */
function paidEvent({ payment_status, amount_total, currency }: Partial<Stripe.Checkout.Session>): TopupEvent | null {
  if (payment_status !== "paid") return null;
  return {
    kind: "paid",
    ...(amount_total != null && { amountMicro: microOf(amount_total) }),
    ...(currency != null && { currency }),
  };
}

function sessionNews({ id, metadata }: Stripe.Checkout.Session, event: TopupEvent | null): ProviderEvent {
  return { sessionRef: id, topupId: metadata?.["topup_id"] ?? null, about: id, event };
}

function refundNews(charge: Stripe.Charge): UnnamedNews | ProviderEvent {
  const { id, amount, amount_refunded, refunded } = charge;
  const remark = `${microOf(amount_refunded)} of ${microOf(amount)} micro-euros were refunded at Stripe (${id}). Only full refunds are booked automatically: adjust the wallet.`;
  const news = refunded ? { about: id, event: { kind: "refunded" as const } } : { about: id, event: null, remark };
  return named(news, charge);
}

/** An inquiry (`warning_…`) does not move money, whatever its result. */
function disputeNews(dispute: Stripe.Dispute, event: TopupEvent | null): UnnamedNews | ProviderEvent | null {
  const takesMoney = !dispute.status.startsWith("warning_");
  return event !== null && takesMoney ? named({ about: dispute.id, event }, dispute) : null;
}

function endOf({ status }: Stripe.Dispute): TopupEvent | null {
  if (status === "won") return { kind: "dispute_won" };
  return status === "lost" ? { kind: "dispute_lost" } : null;
}

/**
 * Charges copy the metadata from their payment. If it is missing (disputes have their own metadata), the payment is
 * fetched.
 */
function named(
  news: Omit<UnnamedNews, "payment">,
  { metadata, payment_intent }: Pick<Stripe.Charge | Stripe.Dispute, "metadata" | "payment_intent">,
): UnnamedNews | ProviderEvent {
  const topupId = metadata["topup_id"];
  if (topupId !== undefined) return { ...news, topupId, sessionRef: null };
  return { ...news, payment: typeof payment_intent === "string" ? payment_intent : (payment_intent?.id ?? null) };
}
