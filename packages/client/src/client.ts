/**
 * A typed client for any endpoint of the contracts. Problems become `ProblemError`. Temporary failures (429, 502,
 * 503, broken connections) are retried a limited number of times after the delay requested by the server.
 */
import type { AnswerOf, BodyOf, Endpoint, ParamsOf, QueryOf } from "@triptych/contracts";
import { ProblemError, readProblem } from "./problem-error.ts";

export interface ClientOptions {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly retries?: number;
  /** Maximum retry delay in milliseconds; a longer one throws the problem. Default 10 000. */
  readonly longestWaitMs?: number;
  readonly fetch?: typeof fetch;
  /** Resolves after the given milliseconds; injected by tests. */
  readonly wait?: (ms: number) => Promise<void>;
}

export type Input<E extends Endpoint> = (E["params"] extends object ? { readonly params: ParamsOf<E> } : object) &
  (E["body"] extends object ? { readonly body: BodyOf<E> } : object) & {
    readonly query?: QueryOf<E>;
    /** Makes a POST safe to retry: the server runs it once. */
    readonly idempotencyKey?: string;
    /** An `ETag`: the change is rejected if the resource was modified since. */
    readonly ifMatch?: string;
    readonly signal?: AbortSignal;
  };

export interface Reply<E extends Endpoint> {
  readonly body: AnswerOf<E>;
  readonly status: number;
  readonly headers: Headers;
}

export interface Client {
  /** Throws ProblemError for a problem response, and the error of `fetch` if there is no response. */
  call<const E extends Endpoint>(endpoint: E, input: Input<E>): Promise<Reply<E>>;
}

export function createClient(options: ClientOptions): Client {
  const { retries = 2, longestWaitMs = 10_000, wait = sleep } = options;
  return {
    async call(endpoint, input) {
      const mayRepeat = endpoint.method === "GET" || input.idempotencyKey !== undefined;
      for (let tried = 0; ; tried++) {
        const last = !mayRepeat || tried >= retries;
        const outcome = await attempt(options, endpoint, input);
        if ("body" in outcome) return outcome;
        const pause = waitFor(outcome, tried);
        if (last || pause === null || pause > longestWaitMs) throw outcome.error;
        await wait(pause);
      }
    },
  };
}

interface Failure {
  readonly error: unknown;
}

async function attempt<E extends Endpoint>(
  options: ClientOptions,
  endpoint: E,
  input: Input<E>,
): Promise<Reply<E> | Failure> {
  let response: Response;
  try {
    response = await (options.fetch ?? fetch)(
      addressOf(options.url, endpoint, input),
      requestOf(options, endpoint, input),
    );
  } catch (error) {
    return { error };
  }
  if (!response.ok) return { error: await readProblem(response) };
  // The server uses the same contract; a client of another version reads the members it knows.
  const body = (await readBody(response)) as AnswerOf<E>;
  return { body, status: response.status, headers: response.headers };
}

/** JSON, or the text of any other media type, such as a diff or a model card. */
async function readBody(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined;
  const text = await response.text();
  const type = response.headers.get("content-type") ?? "application/json";
  return /[/+]json\b/.test(type) ? JSON.parse(text) : text;
}

const FIRST_PAUSE_MS = 200;
const PASSING = new Set([429, 502, 503]);

/** Milliseconds until the next attempt, or null if a retry cannot help. */
function waitFor({ error }: Failure, tried: number): number | null {
  if (error instanceof ProblemError) {
    if (!PASSING.has(error.status)) return null;
    return error.retryAfter === null ? FIRST_PAUSE_MS * 2 ** tried : error.retryAfter * 1000;
  }
  return error instanceof Error && error.name === "AbortError" ? null : FIRST_PAUSE_MS * 2 ** tried;
}

function addressOf<E extends Endpoint>(url: string, endpoint: E, input: Input<E>): string {
  const params: Readonly<Record<string, unknown>> = "params" in input ? { ...input.params } : {};
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

function requestOf<E extends Endpoint>(options: ClientOptions, endpoint: E, input: Input<E>): RequestInit {
  const body = "body" in input ? JSON.stringify(input.body) : undefined;
  return {
    method: endpoint.method,
    headers: {
      Accept: endpoint.answers[200]?.media?.[0] ?? "application/json",
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...(input.idempotencyKey !== undefined && { "Idempotency-Key": input.idempotencyKey }),
      ...(input.ifMatch !== undefined && { "If-Match": input.ifMatch }),
      ...options.headers,
    },
    ...(body !== undefined && { body }),
    ...(input.signal && { signal: input.signal }),
  };
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
