/**
 * The part of Stripe that the rail uses, on loopback: checkouts, payments, refunds, idempotency keys, and events signed
 * by the official SDK. It is as strict as Stripe, so that a request that Stripe would reject fails here too.
 */
import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Stripe } from "stripe";

export const WEBHOOK_SECRET = "whsec_present";

interface Session {
  readonly object: "checkout.session";
  readonly id: string;
  readonly payment_intent: string;
  status: "open" | "complete" | "expired";
  payment_status: "unpaid" | "paid";
  readonly amount_total: number;
  readonly currency: string;
  readonly url: string;
  readonly expires_at: number;
  readonly metadata: Readonly<Record<string, string>>;
  /** The form saved the payment method for later. */
  readonly savesMethod: boolean;
}

export interface Payment {
  readonly object: "payment_intent";
  readonly id: string;
  status: "succeeded" | "processing" | "requires_payment_method";
  readonly amount: number;
  amount_received: number;
  readonly currency: string;
  readonly customer: string | null;
  readonly payment_method: string;
  readonly setup_future_usage: string | null;
  readonly created: number;
  readonly metadata: Readonly<Record<string, string>>;
  last_payment_error: { readonly code: string } | null;
}

export interface ReceivedRequest {
  readonly path: string;
  readonly form: URLSearchParams;
  readonly key: string | undefined;
}

export async function openStripe(now: () => number) {
  const sessions = new Map<string, Session>();
  const answered = new Map<string, unknown>();
  const requests: ReceivedRequest[] = [];
  const refunds: URLSearchParams[] = [];
  const payments = new Map<string, Payment>();
  let isDown = false;
  let refusal: string | null = null;
  let onRequest: (request: ReceivedRequest, when: "before" | "after") => void = () => undefined;
  let losesAnswers = 0;

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    if (isDown) return void response.writeHead(503).end("{}");
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    const path = new URL(request.url ?? "", "http://stripe.test").pathname;
    const key = request.headers["idempotency-key"]?.toString();
    const received = { path: `${request.method} ${path}`, form, key };
    requests.push({ path, form, key });
    onRequest(received, "before");
    const made = (key === undefined ? undefined : answered.get(key)) ?? make(`${request.method} ${path}`, form);
    if (key !== undefined) answered.set(key, made);
    onRequest(received, "after");
    if (losesAnswers > 0) {
      losesAnswers -= 1;
      response.destroy();
      return;
    }
    const isPayment = typeof made === "object" && made !== null && "last_payment_error" in made;
    if (isPayment && request.method === "POST" && made.last_payment_error !== null) {
      const error = {
        type: "card_error",
        code: Reflect.get(Object(made.last_payment_error), "code"),
        payment_intent: made,
      };
      response.writeHead(402, { "Content-Type": "application/json" }).end(JSON.stringify({ error }));
      return;
    }
    const status = made === undefined ? 404 : 200;
    const body = made ?? { error: { type: "invalid_request_error", message: "No such object" } };
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  }

  function make(what: string, form: URLSearchParams): unknown {
    const [, id = ""] = /\/([^/]+)$/.exec(what) ?? [];
    if (what === "POST /v1/checkout/sessions") return newSession(form);
    if (what.startsWith("GET /v1/checkout/sessions/")) return sessions.get(id);
    if (what === "POST /v1/payment_intents") return newPayment(form);
    if (what === "GET /v1/payment_intents") return { object: "list", data: [...payments.values()] };
    if (what.startsWith("GET /v1/payment_intents/")) return payments.get(id) ?? paymentOf(id);
    if (what !== "POST /v1/refunds") return undefined;
    refunds.push(form);
    return { id: `re_${refunds.length}`, object: "refund", status: "succeeded" };
  }

  function newSession(form: URLSearchParams): Session {
    const number = sessions.size + 1;
    const session: Session = {
      object: "checkout.session",
      id: `cs_test_${number}`,
      payment_intent: `pi_${number}`,
      status: "open",
      payment_status: "unpaid",
      amount_total: Number(form.get("line_items[0][price_data][unit_amount]")),
      currency: form.get("line_items[0][price_data][currency]") ?? "",
      url: `https://checkout.stripe.test/${number}`,
      expires_at: Math.floor(now() / 1000) + 86_400,
      metadata: { topup_id: form.get("metadata[topup_id]") ?? "" },
      savesMethod:
        form.get("payment_intent_data[setup_future_usage]") === "off_session" &&
        form.get("customer_creation") === "always",
    };
    sessions.set(session.id, session);
    return session;
  }

  function paymentOf(id: string) {
    const session = [...sessions.values()].find((candidate) => candidate.payment_intent === id);
    if (session === undefined) return undefined;
    const number = id.slice("pi_".length);
    const saved = { customer: `cus_${number}`, payment_method: `pm_${number}`, setup_future_usage: "off_session" };
    return { id, object: "payment_intent", metadata: session.metadata, ...(session.savesMethod && saved) };
  }

  /** Like Stripe, confirms a payment while the payer is absent. */
  function newPayment(form: URLSearchParams): Payment {
    assert.deepEqual([form.get("confirm"), form.get("off_session")], ["true", "true"]);
    const amount = Number(form.get("amount"));
    const payment: Payment = {
      object: "payment_intent",
      id: `pi_auto_${payments.size + 1}`,
      status: refusal === null ? "succeeded" : "requires_payment_method",
      amount,
      amount_received: refusal === null ? amount : 0,
      currency: form.get("currency") ?? "",
      customer: form.get("customer"),
      payment_method: form.get("payment_method") ?? "",
      setup_future_usage: null,
      created: Math.floor(now() / 1000),
      metadata: { topup_id: form.get("metadata[topup_id]") ?? "", automatic: form.get("metadata[automatic]") ?? "" },
      last_payment_error: refusal === null ? null : { code: refusal },
    };
    payments.set(payment.id, payment);
    return payment;
  }

  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    refunds,
    sessions,
    /** Payments with a saved method. */
    payments,
    /** Refuses later payments with this code. */
    refuse: (code: string | null) => (refusal = code),
    /** Called for every request, before and after its effect. */
    watch: (watcher: typeof onRequest) => (onRequest = watcher),
    goDown: (down: boolean) => (isDown = down),
    /** Drops the next responses after their requests have taken effect. */
    loseAnswers: (count: number) => (losesAnswers = count),
    session(topup: { readonly sessionRef: string | null }): Session {
      const session = sessions.get(topup.sessionRef ?? "");
      assert.ok(session !== undefined);
      return session;
    },
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

export interface StripeEvent {
  readonly type: string;
  readonly object: Readonly<Record<string, unknown>>;
  /** In seconds; the events of an emulator have no such member. */
  readonly created?: number;
}

let sent = 0;

/**
 * The bytes and the header of an event. Each call gives a new ID, as Stripe may send the same event under several IDs.
 */
export function signedEvent(
  { type, object, created }: StripeEvent,
  { at, secret = WEBHOOK_SECRET }: { readonly at: number; readonly secret?: string },
) {
  sent += 1;
  const payload = JSON.stringify({ id: `evt_${sent}`, object: "event", created, type, data: { object } });
  const header = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp: Math.floor(at / 1000) });
  return { raw: Buffer.from(payload), headers: { "stripe-signature": header } };
}

/** Events about one session, in Stripe's form. */
export function eventsOf(session: Session) {
  const about = { object: "checkout.session", currency: session.currency, amount_total: session.amount_total };
  const { id, metadata, payment_intent } = session;
  const checkout = (type: string, more: object): StripeEvent => {
    return { type: `checkout.session.${type}`, object: { ...about, id, metadata, payment_intent, ...more } };
  };
  const number = id.split("_").at(-1);
  const charge = (more: object): StripeEvent["object"] => {
    const amount = session.amount_total;
    return { id: `ch_${number}`, object: "charge", amount, payment_intent, metadata, ...more };
  };
  const dispute = (type: string, status: string, which = 1): StripeEvent => {
    const object = { id: `dp_${number}_${which}`, object: "dispute", status, payment_intent, metadata: {} };
    return { type: `charge.dispute.${type}`, object };
  };
  return {
    paid: (more = {}) => checkout("completed", { status: "complete", payment_status: "paid", ...more }),
    unpaid: checkout("completed", { status: "complete", payment_status: "unpaid" }),
    paidLater: checkout("async_payment_succeeded", { status: "complete", payment_status: "paid" }),
    failed: checkout("async_payment_failed", { status: "complete", payment_status: "unpaid" }),
    expired: checkout("expired", { status: "expired", payment_status: "unpaid" }),
    refunded: { type: "charge.refunded", object: charge({ refunded: true, amount_refunded: session.amount_total }) },
    partlyRefunded: { type: "charge.refunded", object: charge({ refunded: false, amount_refunded: 100 }) },
    dispute,
  };
}

/** The event about a payment with a saved method. */
export function paymentEvent(payment: Payment): StripeEvent {
  const type = payment.status === "succeeded" ? "payment_intent.succeeded" : "payment_intent.payment_failed";
  return { type, object: { ...payment } };
}
