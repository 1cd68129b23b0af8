/**
 * A proxy between rail and emulator. The emulator does not support inline prices, so the proxy creates a price before each checkout.
 * It has no saved cards either: payments with them go to another mock. All other requests are forwarded unchanged.
 */
import { createServer, type IncomingMessage } from "node:http";
import { paymentIdOf, type SavedPaymentsMock } from "./saved-payments.ts";

export interface Adapter extends AsyncDisposable {
  /** Bodies of the rail's checkout requests. */
  readonly checkouts: readonly URLSearchParams[];
}

const PRICE = "line_items[0][price_data]";

export function startAdapter(port: number, emulator: string, saved: SavedPaymentsMock): Promise<Adapter> {
  const checkouts: URLSearchParams[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const body = await bodyOf(request);
      const isCheckout = request.method === "POST" && request.url === "/v1/checkout/sessions";
      const sent = isCheckout ? await withCreatedPrice(new URLSearchParams(body), emulator) : body;
      if (isCheckout) checkouts.push(new URLSearchParams(body));
      const { method = "GET", url = "", headers } = request;
      const form = new URLSearchParams(body);
      const handled = await saved.handle({ method, path: url, form, key: headers["idempotency-key"]?.toString() });
      if (handled !== null) {
        response.writeHead(handled.status, { "Content-Type": "application/json" }).end(handled.body);
        return;
      }
      const answer = await fetch(emulator + (request.url ?? ""), {
        method: request.method ?? "GET",
        headers: { Authorization: "Bearer sk_test_emulated", "Content-Type": "application/x-www-form-urlencoded" },
        ...(sent !== "" && { body: sent }),
      });
      const text = await answer.text();
      if (isCheckout && form.get("payment_intent_data[setup_future_usage]") === "off_session")
        saved.saves(JSON.parse(text).id);
      response.writeHead(answer.status, { "Content-Type": "application/json" }).end(withPayment(text));
    })().catch(() => response.destroy());
  });
  const { promise, resolve } = Promise.withResolvers<Adapter>();
  const stop = () => new Promise<void>((stopped) => server.close(() => stopped()) && server.closeAllConnections());
  server.listen(port, "127.0.0.1", () => resolve({ checkouts, [Symbol.asyncDispose]: stop }));
  return promise;
}

/** The emulator's sessions name no payment. */
function withPayment(text: string): string {
  const json = JSON.parse(text);
  return json.object === "checkout.session" ? JSON.stringify({ ...json, payment_intent: paymentIdOf(json.id) }) : text;
}

async function withCreatedPrice(form: URLSearchParams, emulator: string): Promise<string> {
  const make = async (path: string, fields: Record<string, string>): Promise<string> => {
    const headers = { Authorization: "Bearer sk_test_emulated" };
    const answer = await fetch(emulator + path, { method: "POST", headers, body: new URLSearchParams(fields) });
    const { id }: { id: string } = JSON.parse(await answer.text());
    return id;
  };
  const product = await make("/v1/products", { name: form.get(`${PRICE}[product_data][name]`) ?? "" });
  const currency = form.get(`${PRICE}[currency]`) ?? "";
  const price = await make("/v1/prices", { product, currency, unit_amount: form.get(`${PRICE}[unit_amount]`) ?? "" });
  const others = [...form].filter(([name]) => !name.startsWith(PRICE));
  return new URLSearchParams([...others, ["line_items[0][price]", price]]).toString();
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}
