/**
 * One router behind the gateway: a pool of connections that are kept open for what takes milliseconds, others for what may wait a minute
 * for a training, and one for looking whether it decides as it should, so that a full pool does not look like a dead router. It is left
 * out from its first failure until a look at it succeeds.
 */
import { systemTimers } from "@triptych/client/billing";
import { Pool } from "undici";
import type { RouterAnswer, RouterCall } from "../domain/routers.ts";
import { exchange } from "../http-request.ts";
import { createPatience } from "../deadline-queue.ts";

export interface Look {
  readonly isWell: boolean;
  readonly latencyMs: number | null;
  readonly model: string | null;
  readonly trunk: string | null;
  readonly experts: number | null;
}

export interface OneRouter extends AsyncDisposable {
  readonly url: string;
  /** Null before the first look. */
  readonly seen: Look | null;
  readonly isWell: boolean;
  /** Rejects when there is no answer in time. */
  ask(call: RouterCall): Promise<Answered>;
  /** Calls wait for `look` to tell otherwise. */
  leaveOut(): void;
  look(): Promise<void>;
}

type Answered = Extract<RouterAnswer, { readonly kind: "answered" }>;

export interface OneRouterOptions {
  /** With a path where the router is served under one. */
  readonly url: string;
  readonly serviceToken: string;
  /** Milliseconds of a clock that only rises. */
  readonly now: () => number;
  readonly onTurn: (turn: { readonly url: string; readonly isWell: boolean; readonly why: string }) => void;
}

/** Decisions take milliseconds: what has no answer by then has lost it. */
const DECISION_MS = 2000;
/** Longest `Prefer: wait` of a training, and its end. */
const TRAINING_MS = 70_000;
const CONNECT_MS = 1000;
const LOOK_MS = 1000;
/** A router decides on one thread: more connections only make it switch more often. */
const CONNECTIONS = 64;
const ANSWER_BYTES_MAX = 32 * 1024 * 1024;

export function openRouter({ url, serviceToken, now, onTurn }: OneRouterOptions): OneRouter {
  const { origin, pathname } = new URL(url);
  const prefix = pathname.replace(/\/+$/, "");
  const connect = { timeout: CONNECT_MS };
  const common = { connect, maxResponseSize: ANSWER_BYTES_MAX, headersTimeout: 0, bodyTimeout: 0 };
  const pool = new Pool(origin, { ...common, connections: CONNECTIONS });
  // As many as come: on the others' connections one owner's waiting orders would keep every decision from the router.
  const slow = new Pool(origin, common);
  const looking = new Pool(origin, { connections: 1, connect });
  const patienceOfDecisions = createPatience({ milliseconds: DECISION_MS, now, timers: systemTimers });
  const patienceOfTrainings = createPatience({ milliseconds: TRAINING_MS, now, timers: systemTimers });
  const authorization = `Bearer ${serviceToken}`;
  let seen: Look | null = null;
  let isWell = false;
  let look: Promise<void> | null = null;

  return {
    url,
    get seen() {
      return seen;
    },
    get isWell() {
      return isWell;
    },
    async ask({ method, target, headers, body, isSafe }) {
      const asked = { method, path: prefix + target, headers: { ...headers, authorization }, body };
      const way = isSafe ? { pool, patience: patienceOfDecisions } : { pool: slow, patience: patienceOfTrainings };
      return { kind: "answered", ...(await exchange(way, asked)) };
    },
    leaveOut() {
      turn(false, "a call got no answer");
    },
    look() {
      // Whoever asks while somebody looks shares what is seen.
      look ??= lookNow().finally(() => (look = null));
      return look;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([pool, slow, looking].map((one) => one.destroy()));
      for (const patience of [patienceOfDecisions, patienceOfTrainings]) patience[Symbol.dispose]();
    },
  };

  async function lookNow(): Promise<void> {
    const begun = now();
    try {
      const answer = await looking.request({
        method: "GET",
        path: `${prefix}/health`,
        headers: { authorization },
        signal: AbortSignal.timeout(LOOK_MS),
      });
      const body: unknown = await answer.body.json();
      const isOk = answer.statusCode === 200;
      seen = { ...factsOf(body), isWell: isOk, latencyMs: now() - begun };
      turn(isOk, isOk ? "it decides as it should" : `its health answers ${answer.statusCode}`);
    } catch (error) {
      seen = { ...(seen ?? factsOf(null)), isWell: false, latencyMs: null };
      turn(false, error instanceof Error ? error.message : "it gives no answer");
    }
  }

  function turn(becomesWell: boolean, why: string): void {
    const hasTurned = isWell !== becomesWell;
    isWell = becomesWell;
    if (hasTurned) onTurn({ url, isWell, why });
  }
}

/** What the router tells of itself; a router of another version may tell less. */
function factsOf(body: unknown) {
  const told = typeof body === "object" && body !== null ? body : {};
  return {
    model: "model" in told && typeof told.model === "string" ? told.model : null,
    trunk: "trunk" in told && typeof told.trunk === "string" ? told.trunk : null,
    experts: "experts" in told && typeof told.experts === "number" ? told.experts : null,
  };
}
