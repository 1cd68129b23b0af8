/**
 * Clients that keep a constant number of calls in flight over keep-alive connections and record each result. Some use a
 * key and retry until they get a response, some retry without a key, as other SDKs do, some send duplicates or old
 * keys, and some disconnect midway.
 */
import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";
import type { Chance } from "../simulation/random.ts";
import type { Call, CallerWallet, Try } from "./records.ts";

export interface Callers extends AsyncDisposable {
  begin(): void;
  /** Stops new calls; resolves when the running ones have ended. */
  rest(): Promise<void>;
  inFlight(gateway: string): number;
  /** Resolves with the time (`performance.now`) of the next charged response that is not a replay. */
  nextAnswer(): Promise<number>;
}

export interface CallersOptions {
  readonly chance: Chance;
  readonly count: number;
  /** Prefix of all keys; they are searched for where they must not appear. */
  readonly keyPrefix: string;
  readonly wallets: readonly CallerWallet[];
  readonly gateways: readonly { readonly name: string; readonly url: () => string }[];
  readonly onTry: (attempt: Try) => void;
}

export const ROUTE_PATH = "/v1/route";

const KEYED = 0.5;
const TWICE = 0.1;
const AGAIN = 0.05;
const LEAVES = 0.04;
const LEAVES_WITHIN_MS = 20;
const GIVES_UP = 0.3;
const TRIES = 400;
/** When a client is asked to wait, it waits only briefly. */
const PAUSE_MS = 30;

export function createCallers({ chance, count, keyPrefix, wallets, gateways, onTry }: CallersOptions): Callers {
  const agent = new Agent({ keepAlive: true });
  const open = new Map(gateways.map(({ name }) => [name, 0]));
  const answered: Call[] = [];
  let waiting: ((at: number) => void)[] = [];
  let running: Promise<unknown> = Promise.resolve();
  let isResting = true;
  let calls = 0;
  let tries = 0;

  return {
    begin() {
      isResting = false;
      running = Promise.all(Array.from({ length: count }, live));
    },
    async rest() {
      isResting = true;
      await running;
    },
    inFlight: (gateway) => open.get(gateway) ?? 0,
    nextAnswer: () => new Promise((resolve) => waiting.push(resolve)),
    async [Symbol.asyncDispose]() {
      isResting = true;
      await running;
      agent.destroy();
    },
  };

  async function live(): Promise<void> {
    for (;;) {
      if (isResting) return;
      const call = next();
      const twin = call.key !== null && chance.hits(TWICE) ? insist(call) : null;
      await insist(call);
      await twin;
    }
  }

  function next(): Call {
    if (answered.length > 0 && chance.hits(AGAIN)) return chance.pick(answered);
    const id = `c${++calls}`;
    const key = chance.hits(KEYED) ? `${keyPrefix}${id}` : null;
    return { id, wallet: chance.pick(wallets), key, state: `state ${chance.between(1, 9)} of ${id}` };
  }

  async function insist(call: Call): Promise<void> {
    for (let tried = 0; tried < TRIES; tried++) {
      const attempt = await ask(call, chance.pick(gateways));
      onTry(attempt);
      if (attempt.status === 200) return note(call, attempt);
      if (attempt.end === "left" && chance.hits(GIVES_UP)) return;
      if (attempt.end === "answered" && attempt.status !== 409 && attempt.status !== 503) return;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * chance.next()));
    }
  }

  function note(call: Call, { isReplay }: Try): void {
    if (call.key !== null && answered.length < 1000) answered.push(call);
    if (isReplay) return;
    const waiters = waiting;
    waiting = [];
    for (const resolve of waiters) resolve(performance.now());
  }

  async function ask(call: Call, gateway: CallersOptions["gateways"][number]): Promise<Try> {
    const { name } = gateway;
    const id = `${call.id}.${++tries}`;
    const leaving = new AbortController();
    const timer = chance.hits(LEAVES) ? setTimeout(() => leaving.abort(), LEAVES_WITHIN_MS * chance.next()) : null;
    open.set(name, (open.get(name) ?? 0) + 1);
    const about = { id, call, gateway: name };
    try {
      return { ...about, end: "answered", ...(await exchange(`${gateway.url()}${ROUTE_PATH}`, { call, id, leaving })) };
    } catch {
      return { ...about, end: leaving.signal.aborted ? "left" : "broken", ...NOTHING };
    } finally {
      open.set(name, (open.get(name) ?? 0) - 1);
      if (timer !== null) clearTimeout(timer);
    }
  }

  /** Rejects if the response is incomplete, because `text` fails when a body ends early. */
  function exchange(
    url: string,
    { call, id, leaving }: AttemptInput,
  ): Promise<Omit<Try, "id" | "call" | "gateway" | "end">> {
    return new Promise((resolve, reject) => {
      const asking = request(url, {
        agent,
        method: "POST",
        signal: leaving.signal,
        headers: {
          "content-type": "application/json",
          "x-rail-wallet": call.wallet.token,
          "x-call": id,
          ...(call.key !== null && { "idempotency-key": call.key }),
        },
      });
      asking.on("error", reject);
      asking.on("response", (response) => {
        const readHeader = (header: string) => {
          const value = response.headers[header];
          return typeof value === "string" ? value : null;
        };
        const { statusCode: status = 0 } = response;
        text(response).then(
          (body) =>
            resolve({
              status,
              body,
              receipt: readHeader("x-rail-receipt"),
              chargeId: readHeader("x-rail-charge"),
              isReplay: readHeader("idempotency-replayed") === "true",
            }),
          reject,
        );
      });
      asking.end(JSON.stringify({ state: call.state }));
    });
  }
}

interface AttemptInput {
  readonly call: Call;
  readonly id: string;
  readonly leaving: AbortController;
}

const NOTHING = { status: 0, receipt: null, chargeId: null, isReplay: false, body: "" } as const;
