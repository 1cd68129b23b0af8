/** A server that answers from a table, speaks all three APIs, and charges like a gateway: once per idempotency key. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

export interface TableAnswer {
  readonly choice: string;
  readonly confidence: number;
  readonly reason?: string;
}

export interface AnswerTableOptions {
  /** Null publishes no price, as a foreign server. */
  readonly priceMicro?: number | null;
  /** Status of a request instead of an answer; null for none. */
  readonly failure?: (text: string, attempt: number) => number | null;
}

interface Recorded {
  readonly path: string;
  readonly key: string | undefined;
  readonly wallet: string | undefined;
  readonly bearer: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

const LABELS = ["refund", "weather"];

export async function startAnswerTable(answerTo: (text: string) => TableAnswer, options: AnswerTableOptions = {}) {
  const { priceMicro = 0, failure = () => null } = options;
  const requests: Recorded[] = [];
  const charges = new Map<string, string>();
  let running = 0;
  let mostRunning = 0;

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "";
    if (path === "/pricing" && priceMicro !== null)
      return send(response, 200, { price: { amount_micro: priceMicro }, billing: { wallet_required: priceMicro > 0 } });
    if (request.method !== "POST") return send(response, 404, { status: 404, code: "not_found", detail: "Nothing." });
    let sent = "";
    for await (const part of request) sent += String(part);
    const body = JSON.parse(sent);
    const text = String(body.state ?? body.input);
    const key = request.headers["idempotency-key"]?.toString();
    const { "x-rail-wallet": wallet, authorization: bearer } = request.headers;
    requests.push({ path, key, wallet: wallet?.toString(), bearer, body });
    const status = failure(text, requests.filter((earlier) => earlier.body === body || earlier.key === key).length);
    if (status !== null)
      return send(response, status, { status, code: "router_unavailable", detail: "Not now." }, { "Retry-After": "0" });
    const isReplayed = key !== undefined && charges.has(key);
    if (key !== undefined && !isReplayed) charges.set(key, `chg_${charges.size + 1}`);
    const headers = {
      ...(priceMicro !== null && priceMicro > 0 && { "X-Rail-Charge": charges.get(key ?? "") ?? "chg_0" }),
      ...(isReplayed && { "Idempotency-Replayed": "true" }),
    };
    return send(response, 200, inFormat(path, answerTo(text)), headers);
  }

  const server = createServer((request, response) => {
    running += 1;
    mostRunning = Math.max(mostRunning, running);
    void respond(request, response).finally(() => (running -= 1));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: typeof address === "object" && address !== null ? `http://127.0.0.1:${address.port}` : "",
    requests,
    /** Charged decisions. */
    charged: () => charges.size,
    mostRunning: () => mostRunning,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(JSON.stringify(body));
}

function inFormat(path: string, { choice, confidence, reason = "ok" }: TableAnswer): unknown {
  if (path === "/v1/route") return { object: "route", model: "table-1", route: choice, confidence, reason };
  const others = LABELS.filter((label) => label !== choice);
  const shares = [
    [choice, confidence] as const,
    ...others.map((label) => [label, (1 - confidence) / others.length] as const),
  ];
  if (path === "/v1/systemone")
    return {
      model: "table-1",
      answers: { route: { type: "choice", choice, confidence: 0, reason, probabilities: Object.fromEntries(shares) } },
    };
  const probabilities = shares.map(([value, probability]) => ({ value, probability }));
  return {
    model: "table-1",
    answers: [{ type: "choice", name: "route", choice, confidence: 0, reason, probabilities }],
  };
}
