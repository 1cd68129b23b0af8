/**
 * The rail in its own process, and the gateways' billing client in this one: signed charges per second, the overhead of
 * billing per decision against a minimal gateway without billing, and replays.
 *
 * The overhead is measured twice. With a router that takes no time, 32 clients are never idle, so the result is the CPU
 * time of all work. With one that takes the 8 ms of the reference measurement, clients mostly wait, so the result is
 * the added latency.
 */
import { fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setImmediate, setTimeout } from "node:timers/promises";
import {
  createBilling,
  createHttpTransport,
  requestDigest,
  systemTimers,
  walletHashOf,
} from "@triptych/billing-client";
import { canonicalJson } from "@triptych/contracts";
import { median, quantile } from "@triptych/util";
import { startLoad } from "../../../packages/decisions/bench/start-load.ts";
import { startPayingProxy } from "../test/sim/paying-proxy.ts";
import { ms, progress, rate, type Row } from "./report.ts";

export interface HttpPlan {
  readonly folder: string;
  readonly rounds: number;
  readonly milliseconds: number;
  readonly fsyncMs: () => number;
}

const SIGNED_BAR = 4_000;
const REPLAY_BAR_MS = 5;
const CLIENTS = [1, 32] as const;
/** Duration of a decision in milliseconds: zero, and that of the reference measurement. */
const ROUTER_MS = [0, 8] as const;

export async function measureHttp({ folder, rounds, milliseconds, fsyncMs }: HttpPlan): Promise<Row[]> {
  await using rail = await startRail(join(folder, "service"));
  const { url: railUrl, serviceToken } = rail;
  const token = await openWallet(railUrl);
  await using paying = await startPayingProxy({ railUrl, serviceToken });
  await using load = startLoad();
  await using opened = new AsyncDisposableStack();
  const compared: Compared[] = [];
  for (const routerMs of ROUTER_MS) {
    const decide = () => setTimeout(routerMs);
    const options = { railUrl, serviceToken, ...(routerMs > 0 && { decide }) };
    const free = opened.use(await startFreeProxy(options));
    const billed = opened.use(await startPayingProxy(options));
    await untilAnswered(() => billed.ask(token, { key: `bench-${routerMs}` }));
    for (const clients of CLIENTS) compared.push({ routerMs, clients, free, billed, p50: [], p99: [] });
  }
  const replay = () => paying.ask(token, { key: "bench" });
  await untilAnswered(replay);

  const signed: number[] = [];
  const fsyncs: number[] = [];
  const replays: number[] = [];
  let seed = 0;
  for (let round = 1; round <= rounds; round++) {
    fsyncs.push(fsyncMs());
    signed.push(await signedPerSecond({ railUrl, serviceToken, token, milliseconds }));
    for (const { clients, free, billed, p50, p99 } of compared) {
      const latencies = async ({ url }: { readonly url: string }): Promise<readonly number[]> => {
        const result = await load.run({ url, tokens: [token], clients, milliseconds, seed: ++seed });
        if (result.refused > 0) throw new Error(`${result.refused} decisions were rejected`);
        return result.latencies;
      };
      const without = await latencies(free);
      const withIt = await latencies(billed);
      p50.push(median(withIt) - median(without));
      p99.push(quantile(withIt, 0.99) - quantile(without, 0.99));
    }
    replays.push(median(await replayTimes(replay, milliseconds)));
    progress(`over HTTP, round ${round}: ${rate(signed.at(-1) ?? 0)} signed`);
  }
  const fsync = median(fsyncs);
  const cost = compared.map(({ routerMs, clients, ...added }): Row => {
    const [p50, p99] = [median(added.p50), median(added.p99)];
    const goal = `billing adds, ${clients === 1 ? "1 client" : `${clients} clients`}, router of ${routerMs} ms`;
    const measured = `p50 ${ms(p50)}, p99 ${ms(p99)}; fsync ${ms(fsync)}`;
    return { goal, bar: "fsync + 2 ms, 25 ms", measured, met: p50 <= fsync + 2 && p99 <= 25 };
  });
  const most = median(signed);
  const replayed = median(replays);
  return [
    { goal: "signed over HTTP, 64 callers", bar: rate(SIGNED_BAR), measured: rate(most), met: most >= SIGNED_BAR },
    ...cost,
    { goal: "replay, p50", bar: ms(REPLAY_BAR_MS), measured: ms(replayed), met: replayed < REPLAY_BAR_MS },
  ];
}

interface Compared {
  readonly routerMs: number;
  readonly clients: number;
  readonly free: { readonly url: string };
  readonly billed: { readonly url: string };
  /** How many milliseconds longer the second one took, in each round. */
  readonly p50: number[];
  readonly p99: number[];
}

async function startRail(data: string) {
  const child = fork(new URL("./rail-process.ts", import.meta.url), {
    env: { PATH: process.env["PATH"], TRIPTYCH_DATA: data, RAIL_PORT: "0", LOG_LEVEL: "error" },
  });
  const ended = once(child, "exit");
  const [message]: unknown[] = await Promise.race([once(child, "message"), ended]);
  if (typeof message !== "string") throw new Error(`the rail exited before it listened: ${String(message)}`);
  const serviceToken = (await readFile(join(data, "service-token"), "utf8")).trim();
  return {
    url: message,
    serviceToken,
    async [Symbol.asyncDispose]() {
      child.disconnect();
      await ended;
    },
  };
}

/** Opens a wallet with a thousand euros, which pay for two million decisions. */
async function openWallet(railUrl: string): Promise<string> {
  const post = async (path: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<string> => {
    const json = { "content-type": "application/json", ...headers };
    const answer = await fetch(`${railUrl}${path}`, { method: "POST", headers: json, body: JSON.stringify(body) });
    if (answer.status !== 201) throw new Error(`${path} returned ${answer.status}: ${await answer.text()}`);
    return await answer.text();
  };
  const { wallet_token } = JSON.parse(await post("/v1/wallets", { email: "bench@example.test" })) as Record<
    string,
    string
  >;
  if (wallet_token === undefined) throw new Error("the rail returned no token");
  await post("/v1/topup", { amount_micro: 1_000_000_000 }, { "x-rail-wallet": wallet_token });
  return wallet_token;
}

/** Starts the minimal gateway of the tests without a rail. */
async function startFreeProxy({ decide }: { readonly decide?: () => Promise<void> }) {
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      requestDigest({ method: "POST", path: "/v1/route", body: JSON.parse(await text(request)) });
      await decide?.();
      response.end(canonicalJson({ action: "delegate", route: "route" }));
    };
    answer().catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the gateway has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Resolves when the gateway is registered and its first key is delivered. */
async function untilAnswered(ask: () => Promise<Response>): Promise<void> {
  for (let attempt = 0; attempt < 1_000; attempt++) {
    const answer = await ask();
    await answer.text();
    if (answer.headers.get("idempotency-replayed") === "true") return;
  }
  throw new Error("the gateway never responded");
}

/** Resolves when a new gateway is registered. */
const HELLO_MS = 5_000;

async function signedPerSecond({
  railUrl,
  serviceToken,
  token,
  milliseconds,
}: Pick<HttpPlan, "milliseconds"> & { railUrl: string; serviceToken: string; token: string }): Promise<number> {
  const random = (count: number) => randomBytes(count);
  const billing = createBilling({
    instance: `gw-${random(4).toString("hex")}`,
    transport: createHttpTransport({ url: railUrl, serviceToken: () => serviceToken }),
    timers: systemTimers,
    now: () => performance.now(),
    random,
  });
  const deadline = performance.now() + HELLO_MS;
  while (billing.state().phase !== "live" && performance.now() < deadline) await setImmediate();
  const call = { walletHash: walletHashOf(token), op: "route", req: "r".repeat(43), res: "s".repeat(43) };
  let done = 0;
  const startedAt = performance.now();
  const isOver = () => performance.now() - startedAt > milliseconds;
  const caller = async (): Promise<void> => {
    while (!isOver()) {
      const billed = await billing.charge(call);
      if (billed.kind !== "charged") throw new Error(JSON.stringify(billed));
      billed.delivered();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: 64 }, caller));
  const perSecond = (done / (performance.now() - startedAt)) * 1000;
  await billing.stop();
  return perSecond;
}

async function replayTimes(ask: () => Promise<Response>, milliseconds: number): Promise<number[]> {
  const found: number[] = [];
  const endsAt = performance.now() + milliseconds;
  while (performance.now() < endsAt) {
    const startedAt = performance.now();
    const answer = await ask();
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`a decision returned ${answer.status}`);
    found.push(performance.now() - startedAt);
  }
  return found;
}
