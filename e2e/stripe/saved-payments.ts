/**
 * PaymentIntents with saved cards, which the emulator lacks, on the charges of stripe-stateful-mock: its customers, its
 * declines and its idempotency.
 */

export interface Reply {
  readonly status: number;
  readonly body: string;
}

export interface ForwardedRequest {
  readonly method: string;
  readonly path: string;
  readonly form: URLSearchParams;
  readonly key: string | undefined;
}

export interface SavedPaymentsMock {
  /** Card of the next checkout that saves one, as a test token of Stripe. */
  card: string;
  /** Called after a charge, before its response. */
  afterCharge: () => void;
  /** Remembers that this checkout saves its card. */
  saves(session: string): void;
  /** null: not about saved payments. */
  handle(request: ForwardedRequest): Promise<Reply | null>;
  charges(): Promise<readonly Charge[]>;
}

interface Charge {
  readonly id: string;
  readonly status: string;
  readonly amount: number;
  readonly currency: string;
  readonly metadata: Readonly<Record<string, string>>;
}

const OF_CHECKOUT = "pi_of_";

/** `url`: the address of stripe-stateful-mock. */
export function createSavedPayments(url: string): SavedPaymentsMock {
  const customers = new Map<string, { readonly customer: string; readonly card: string }>();
  const saving = new Set<string>();

  async function call(method: string, path: string, { form, key }: { form?: URLSearchParams; key?: string } = {}) {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { Authorization: "Bearer sk_test_emulated", ...(key !== undefined && { "Idempotency-Key": key }) },
      ...(form && { body: form }),
    });
    return { status: response.status, json: JSON.parse(await response.text()) };
  }

  const mock: SavedPaymentsMock = {
    card: "tok_visa",
    afterCharge: () => undefined,
    saves: (session) => void saving.add(session),
    async handle({ method, path, form, key }) {
      if (method === "POST" && path === "/v1/payment_intents") return await charge(form, key);
      const id = /^\/v1\/payment_intents\/([^/?]+)$/.exec(path)?.[1];
      if (id === undefined || method !== "GET") return null;
      if (id.startsWith(OF_CHECKOUT)) return await paymentOf(id.slice(OF_CHECKOUT.length));
      const { status, json } = await call("GET", `/v1/charges/${id.slice("pi_".length)}`);
      return { status, body: JSON.stringify(status === 200 ? toPayment(json) : json) };
    },
    async charges() {
      return (await call("GET", "/v1/charges?limit=100")).json.data;
    },
  };
  return mock;

  async function charge(form: URLSearchParams, key: string | undefined): Promise<Reply> {
    const copied = new URLSearchParams(
      [...form].filter(([name]) => /^(amount|currency|customer|metadata\[.*)$/.test(name)),
    );
    copied.set("source", form.get("payment_method") ?? "");
    const { status, json } = await call("POST", "/v1/charges", { form: copied, ...(key !== undefined && { key }) });
    mock.afterCharge();
    return { status, body: JSON.stringify(status === 200 ? toPayment(json) : json) };
  }

  /** The payment of a checkout, with the customer and the card that Stripe saved. */
  async function paymentOf(session: string): Promise<Reply> {
    const saved = saving.has(session) ? (customers.get(session) ?? (await save(session))) : null;
    const about = saved && { customer: saved.customer, payment_method: saved.card, setup_future_usage: "off_session" };
    const payment = {
      id: OF_CHECKOUT + session,
      object: "payment_intent",
      status: "succeeded",
      metadata: {},
      ...about,
    };
    return { status: 200, body: JSON.stringify(payment) };
  }

  async function save(session: string) {
    const { json } = await call("POST", "/v1/customers", { form: new URLSearchParams({ source: mock.card }) });
    const saved = { customer: String(json.id), card: String(json.default_source) };
    customers.set(session, saved);
    return saved;
  }
}

/** The payment that a checkout's session names. */
export function paymentIdOf(session: string): string {
  return OF_CHECKOUT + session;
}

function toPayment({ id, status, amount, currency, metadata }: Charge) {
  const received = status === "succeeded" ? amount : 0;
  return { id: `pi_${id}`, object: "payment_intent", status, amount, amount_received: received, currency, metadata };
}
