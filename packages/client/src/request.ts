/** One HTTP request of an endpoint. */
import type { AnswerOf, BodyOf, Endpoint, ParamsOf, QueryOf } from "@triptych/contracts";
import { readProblem } from "./problem-error.ts";

export type Input<E extends Endpoint> = (E["params"] extends object ? { readonly params: ParamsOf<E> } : object) &
  (E["body"] extends object ? { readonly body: BodyOf<E> } : object) & {
    readonly query?: QueryOf<E>;
  } & RequestOptions;

export interface RequestOptions {
  /** Makes a POST safe to retry: the server runs it once. Generated if the endpoint honors such keys. */
  readonly idempotencyKey?: string;
  /** An `ETag`: the change is rejected if the resource has been modified since. */
  readonly ifMatch?: string;
  readonly signal?: AbortSignal;
  /** Timeout of one attempt in milliseconds, overriding the client's; 0 for none. */
  readonly timeoutMs?: number;
}

export interface Reply<E extends Endpoint> {
  readonly body: AnswerOf<E>;
  readonly status: number;
  readonly headers: Headers;
}

export interface Transport {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Timeout of one attempt in milliseconds, including the body; 0 for none. Default 60 000. */
  readonly timeoutMs?: number;
  readonly fetch?: typeof fetch;
  /** Milliseconds since 1970; injected by tests. */
  readonly now?: () => number;
}

const TIMEOUT_MS = 60_000;

/** The most general input: every `Input` is assignable to it. */
export interface AnyInput extends RequestOptions {
  readonly params?: object;
  readonly query?: object;
  readonly body?: unknown;
}

/** Throws ProblemError for a problem, and the error of `fetch` (`TimeoutError`, `AbortError`) without a response. */
export async function send<E extends Endpoint>(transport: Transport, endpoint: E, input: AnyInput): Promise<Reply<E>> {
  const { now = Date.now } = transport;
  const timeoutMs = input.timeoutMs ?? transport.timeoutMs ?? TIMEOUT_MS;
  const signals = [input.signal, timeoutMs > 0 ? AbortSignal.timeout(timeoutMs) : undefined];
  const response = await open(transport, endpoint, { ...input, signal: anyOf(signals) });
  if (!response.ok) throw await readProblem(response, now());
  // The server uses the same contract; a client of another version reads the members it knows.
  const body = (await readBody(response)) as AnswerOf<E>;
  return { body, status: response.status, headers: response.headers };
}

/** Resolves with the response before its body is read. `accept` overrides the first media type of the contract. */
export function open(
  { url, headers, fetch: request = fetch }: Transport,
  endpoint: Endpoint,
  input: Omit<AnyInput, "signal"> & { readonly signal: AbortSignal | undefined },
  sent: Readonly<Record<string, string>> = {},
): Promise<Response> {
  // Does not look at the endpoint's schema: a bundle may omit schemas, as the dashboard's does.
  const body = input.body === undefined ? undefined : JSON.stringify(input.body);
  return request(addressOf(url, endpoint, input), {
    method: endpoint.method,
    headers: {
      Accept: endpoint.answers[200]?.media?.[0] ?? "application/json",
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...(input.idempotencyKey !== undefined && { "Idempotency-Key": input.idempotencyKey }),
      ...(input.ifMatch !== undefined && { "If-Match": input.ifMatch }),
      ...headers,
      ...sent,
    },
    ...(body !== undefined && { body }),
    ...(input.signal && { signal: input.signal }),
  });
}

export function anyOf(signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter((signal) => signal !== undefined);
  return given.length < 2 ? given[0] : AbortSignal.any(given);
}

/** Parses JSON; returns any other media type, such as a diff or a model card, as text. */
async function readBody(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined;
  const text = await response.text();
  const type = response.headers.get("content-type") ?? "application/json";
  return /[/+]json\b/.test(type) ? JSON.parse(text) : text;
}

function addressOf(url: string, endpoint: Endpoint, input: AnyInput): string {
  const params: Readonly<Record<string, unknown>> = { ...input.params };
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...input.query })) appendParameter(search, name, value);
  const query = search.toString();
  return `${url.replace(/\/+$/, "")}${path}${query === "" ? "" : `?${query}`}`;
}

/** A list is one comma-separated parameter; a list of lists repeats the parameter. */
function appendParameter(search: URLSearchParams, name: string, value: unknown): void {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    search.append(name, String(value));
  if (!Array.isArray(value)) return;
  if (value.some(Array.isArray)) for (const group of value) search.append(name, String(group));
  else search.append(name, value.join(","));
}
