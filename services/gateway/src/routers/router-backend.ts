/**
 * One router with three kinds of connections: a keep-alive pool for decisions, connections for trainings of up to a
 * minute, and one for health checks, so that a full pool does not look like a dead router. It is unhealthy from its
 * first failure until a check succeeds.
 */
import { traceCall, type Tracing } from "@triptych/tracing";
import { Pool } from "undici";
import type { RouterAnswer, RouterCall } from "../domain/routers.ts";
import { sendRequest } from "../http-request.ts";

export interface HealthCheck {
  readonly isHealthy: boolean;
  readonly latencyMs: number | null;
  readonly model: string | null;
  readonly trunk: string | null;
  readonly experts: number | null;
}

export interface RouterBackend extends AsyncDisposable {
  readonly url: string;
  readonly seen: HealthCheck | null;
  readonly isHealthy: boolean;
  /** Rejects if there is no response in time. */
  ask(call: RouterCall): Promise<Answered>;
  /** Marks it unhealthy until a check succeeds. */
  markUnhealthy(): void;
  check(): Promise<void>;
}

type Answered = Extract<RouterAnswer, { readonly kind: "answered" }>;

export interface RouterBackendOptions {
  /** Includes a path if the router is served under one. */
  readonly url: string;
  readonly serviceToken: string;
  readonly tracing: Tracing | null;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly onHealthChange: (change: {
    readonly url: string;
    readonly isHealthy: boolean;
    readonly why: string;
  }) => void;
}

/** Decisions take milliseconds, so after this time the request counts as lost. */
const DECISION_MS = 2000;
/** Longest `Prefer: wait` of a training, plus its response. */
const TRAINING_MS = 70_000;
const CONNECT_MS = 1000;
const HEALTH_TIMEOUT_MS = 1000;
/** A router decides on one thread, so more connections would only add context switches. */
const CONNECTIONS = 64;
const ANSWER_BYTES_MAX = 32 * 1024 * 1024;

export function openRouter({ url, serviceToken, tracing, now, onHealthChange }: RouterBackendOptions): RouterBackend {
  const { origin, pathname } = new URL(url);
  const prefix = pathname.replace(/\/+$/, "");
  const connect = { timeout: CONNECT_MS };
  const common = { connect, maxResponseSize: ANSWER_BYTES_MAX, headersTimeout: 0, bodyTimeout: 0 };
  const pool = new Pool(origin, { ...common, connections: CONNECTIONS });
  // Separate and unlimited, so that one owner's waiting trainings do not block decisions.
  const slow = new Pool(origin, common);
  const looking = new Pool(origin, { connections: 1, connect });
  const authorization = `Bearer ${serviceToken}`;
  let seen: HealthCheck | null = null;
  let isHealthy = false;
  let checking: Promise<void> | null = null;

  return {
    url,
    get seen() {
      return seen;
    },
    get isHealthy() {
      return isHealthy;
    },
    async ask({ method, target, route, headers, body, isSafe }) {
      const by = isSafe ? { pool, timeoutMs: DECISION_MS } : { pool: slow, timeoutMs: TRAINING_MS };
      const attributes = { "http.request.method": method, "http.route": route, "peer.service": "router" };
      return traceCall(tracing, { name: `${method} ${route}`, attributes }, async (traced) => {
        const request = { method, path: prefix + target, headers: { ...headers, ...traced, authorization }, body };
        return { kind: "answered", ...(await sendRequest({ ...by, ...request })) };
      });
    },
    markUnhealthy() {
      setHealth(false, "request failed without a response");
    },
    check() {
      // Concurrent callers share one check.
      checking ??= checkNow().finally(() => (checking = null));
      return checking;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([pool, slow, looking].map((connections) => connections.destroy()));
    },
  };

  async function checkNow(): Promise<void> {
    const startedAt = now();
    try {
      const answer = await looking.request({
        method: "GET",
        path: `${prefix}/health`,
        headers: { authorization },
        signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS),
      });
      const body: unknown = await answer.body.json();
      const isOk = answer.statusCode === 200;
      seen = { ...factsOf(body), isHealthy: isOk, latencyMs: now() - startedAt };
      setHealth(isOk, isOk ? "health check passed" : `health check returned ${answer.statusCode}`);
    } catch (error) {
      seen = { ...(seen ?? factsOf(null)), isHealthy: false, latencyMs: null };
      setHealth(false, error instanceof Error ? error.message : "health check failed");
    }
  }

  function setHealth(becomesHealthy: boolean, why: string): void {
    const hasChanged = isHealthy !== becomesHealthy;
    isHealthy = becomesHealthy;
    if (hasChanged) onHealthChange({ url, isHealthy, why });
  }
}

/** Metadata from the router's health response. Other versions may send less. */
function factsOf(body: unknown) {
  const facts = typeof body === "object" && body !== null ? body : {};
  return {
    model: "model" in facts && typeof facts.model === "string" ? facts.model : null,
    trunk: "trunk" in facts && typeof facts.trunk === "string" ? facts.trunk : null,
    experts: "experts" in facts && typeof facts.experts === "number" ? facts.experts : null,
  };
}
