/**
 * The model proxy over HTTP: replaces the run's token with the real key and streams the response while it reads the usage. Other calls and
 * hosts are refused.
 */
import type { Prices } from "../run/usage.ts";
import { randomBytes, timingSafeEqual } from "node:crypto";
import { request as overHttp, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from "node:http";
import { request as overHttps } from "node:https";
import { createBudget, type Caps, type BudgetReservation } from "./spend-limit.ts";
import { expectationOf, routeOf, type Expected } from "./model-call.ts";
import type { CapCode, ModelProxy, Provider } from "./model-proxy.ts";
import { createAnswerMeter } from "./read-usage.ts";

export interface ModelProxyOptions {
  readonly providers: readonly Provider[];
  readonly prices: Prices;
  readonly caps: Caps;
  /** As agents see it, without a trailing slash. */
  readonly address: string;
  readonly onBroken: (code: CapCode) => void;
}

export interface ModelProxyHandler extends ModelProxy {
  handle(req: IncomingMessage, answer: ServerResponse): Promise<void>;
}

const BODY_BYTES = 32 * 1024 * 1024;
/** The provider bills an abandoned response too, so it is read to its end, for at most this long. */
const ANSWER_MS = 600_000;
const BYTES_A_TOKEN = 4;

export function createModelProxy({ providers, prices, caps, address, onBroken }: ModelProxyOptions): ModelProxyHandler {
  const pass = `sk-triptych-${randomBytes(24).toString("base64url")}`;
  const budget = createBudget(caps, prices);
  const closing = new AbortController();
  let broken: CapCode | null = null;
  let isEstimated = false;

  return {
    pass,
    addressOf: (id) => (providers.some((provider) => provider.id === id) ? `${address}/${id}` : null),
    spent: budget.spent,
    get isEstimated() {
      return isEstimated;
    },
    get broken() {
      return broken;
    },
    async handle(req, answer) {
      const { pathname, searchParams } = new URL(req.url ?? "/", "http://proxy");
      const [, id, path] = /^\/([^/]+)(\/.*)$/.exec(pathname) ?? [];
      const provider = providers.find((candidate) => candidate.id === id);
      const route = path === undefined ? null : routeOf(req.method ?? "", path);
      if (!isPass(passOf(req, searchParams), pass)) return refuse(answer, 401, "invalid token for this run");
      if (provider === undefined || path === undefined || route === null)
        return refuse(answer, 403, "only model calls are allowed");
      const body = await bodyOf(req);
      if (body === null) return refuse(answer, 413, "a model call may have at most 32 MiB");
      searchParams.delete("key");
      const target = targetOf(provider, path, searchParams);
      const call: Outgoing = { req, answer, provider, target, body };
      if (route.kind === "free") return void (await send(call, closing.signal));
      try {
        await count(call, expectationOf(body.toString("utf8"), path, route.model));
      } catch (error) {
        refuse(answer, 400, error instanceof Error ? error.message : String(error));
      }
    },
    async [Symbol.asyncDispose]() {
      closing.abort();
    },
  };

  async function count(call: Outgoing, expected: Expected): Promise<void> {
    const ticket = await budget.admit(expected);
    if (typeof ticket === "string") {
      broken ??= ticket;
      refuse(call.answer, 403, `this run has reached its ${ticket.replace("_", " ")}; no further calls are allowed`);
      return onBroken(ticket);
    }
    await sendCounted(call, ticket);
  }

  async function sendCounted(call: Outgoing, ticket: BudgetReservation): Promise<void> {
    const meter = { bytes: 0, used: () => null, push() {} };
    const upstream = await send(call, closing.signal, true).catch(() => ({ status: 0, meter }));
    const isCounted = upstream.status >= 200 && upstream.status < 300;
    const reported = upstream.meter.used();
    if (isCounted && reported === null) isEstimated = true;
    const estimate = {
      inputTokens: Math.ceil(call.body.length / BYTES_A_TOKEN),
      cachedTokens: 0,
      outputTokens: Math.ceil(upstream.meter.bytes / BYTES_A_TOKEN),
    };
    ticket.settle(isCounted ? (reported ?? estimate) : null);
  }
}

interface Outgoing {
  readonly req: IncomingMessage;
  readonly answer: ServerResponse;
  readonly provider: Provider;
  readonly target: URL;
  readonly body: Buffer;
}

interface UpstreamResponse {
  readonly status: number;
  readonly meter: { readonly bytes: number; used(): ReturnType<ReturnType<typeof createAnswerMeter>["used"]> };
}

/** Resolves at the end of the provider's response, even after the agent has disconnected. */
function send(
  { req, answer, provider, target, body }: Outgoing,
  closing: AbortSignal,
  isCounted = false,
): Promise<UpstreamResponse> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.any([closing, AbortSignal.timeout(ANSWER_MS)]);
    const make = target.protocol === "https:" ? overHttps : overHttp;
    const outgoing = make(target, { method: req.method, headers: headersFor(req, provider, body), signal });
    outgoing.once("error", (error) => {
      refuse(answer, 502, "model host unreachable");
      reject(error);
    });
    outgoing.once("response", (incoming) => {
      const isStream = incoming.headers["content-type"]?.startsWith("text/event-stream") === true;
      const meter = createAnswerMeter({ isStream });
      const upstream = { status: incoming.statusCode ?? 0, meter };
      answer.writeHead(upstream.status, headersBack(incoming));
      incoming.on("data", (chunk: Buffer) => {
        if (isCounted) meter.push(chunk);
        if (answer.writable && !answer.write(chunk)) pauseUntilRead(incoming, answer);
      });
      incoming.once("end", () => answer.end());
      incoming.once("close", () => {
        if (!incoming.complete) answer.destroy();
        resolve(upstream);
      });
    });
    outgoing.end(body);
  });
}

function pauseUntilRead(incoming: IncomingMessage, answer: ServerResponse): void {
  incoming.pause();
  const go = () => {
    answer.off("drain", go).off("close", go);
    incoming.resume();
  };
  answer.on("drain", go).on("close", go);
}

function targetOf({ baseUrl }: Provider, path: string, query: URLSearchParams): URL {
  const target = new URL(baseUrl + path);
  target.search = query.toString();
  return target;
}

function passOf({ headers }: IncomingMessage, query: URLSearchParams): string {
  const bearer = /^Bearer (.+)$/i.exec(headers.authorization ?? "")?.[1];
  const named = headers["x-api-key"] ?? headers["x-goog-api-key"];
  return bearer ?? (typeof named === "string" ? named : null) ?? query.get("key") ?? "";
}

function isPass(candidate: string, pass: string): boolean {
  const [one, other] = [Buffer.from(candidate), Buffer.from(pass)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Null: too long. */
async function bodyOf(req: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of req) {
    const piece: Buffer = chunk;
    bytes += piece.length;
    if (bytes > BODY_BYTES) return null;
    chunks.push(piece);
  }
  return Buffer.concat(chunks);
}

/** Forwards only headers of the provider's API; never the agent's key, address or cookies. */
const SENT = /^(?:accept|content-type|user-agent|anthropic-(?:version|beta)|openai-beta|x-stainless-.*)$/;
const RETURNED =
  /^(?:content-type|content-encoding|retry-after.*|x-ratelimit-.*|anthropic-ratelimit-.*|x-request-id|request-id)$/;

function headersFor({ headers }: IncomingMessage, { key, keyHeader }: Provider, body: Buffer): OutgoingHttpHeaders {
  const forwarded = Object.fromEntries(Object.entries(headers).filter(([name]) => SENT.test(name)));
  return {
    ...forwarded,
    // The usage in a compressed response could not be read.
    "accept-encoding": "identity",
    "content-length": body.length,
    ...(key !== null && { [keyHeader]: keyHeader === "authorization" ? `Bearer ${key}` : key }),
  };
}

function headersBack({ headers }: IncomingMessage): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => RETURNED.test(name)));
}

/** Responds in a format that the clients of all providers can parse. */
function refuse(answer: ServerResponse, status: number, message: string): void {
  if (answer.headersSent) return void answer.destroy();
  const error = { type: "permission_error", code: status, status: "PERMISSION_DENIED", message };
  answer.writeHead(status, { "content-type": "application/json", connection: "close" });
  answer.end(JSON.stringify({ type: "error", error }));
}
