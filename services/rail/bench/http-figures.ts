/**
 * The rail as it is used: its service in a process of its own, and in this one the billing client that gateways have. Signed charges a
 * second; what billing adds to a decision, against the same tiny gateway that bills nobody; replays.
 */
import { fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setImmediate } from "node:timers/promises";
import {
  createBilling,
  createHttpTransport,
  requestDigest,
  systemTimers,
  walletHashOf,
} from "@triptych/client/billing";
import { canonicalJson } from "@triptych/contracts";
import { startPayingProxy } from "../test/sim/paying-proxy.ts";
import { median, ms, progress, quantile, rate, type Row } from "./report.ts";

export interface HttpPlan {
  readonly folder: string;
  readonly rounds: number;
  readonly milliseconds: number;
  readonly fsyncMs: () => number;
}

const SIGNED_BAR = 4_000;
const REPLAY_BAR_MS = 5;

export async function measureHttp({ folder, rounds, milliseconds, fsyncMs }: HttpPlan): Promise<Row[]> {
  await using rail = await startRail(join(folder, "service"));
  const { url: railUrl, serviceToken } = rail;
  const token = await openWallet(railUrl);
  await using paying = await startPayingProxy({ railUrl, serviceToken });
  await using free = await startFreeProxy();
  const asks = {
    billed: () => paying.ask(token),
    free: () => fetch(`${free.url}/v1/route`, { method: "POST", body: '{ "state": "élan" }' }),
    replayed: () => paying.ask(token, { key: "bench" }),
  };
  await untilAnswered(asks.replayed);

  const signed: number[] = [];
  const fsyncs: number[] = [];
  const added: Record<1 | 32, { p50: number[]; p99: number[] }> = { 1: { p50: [], p99: [] }, 32: { p50: [], p99: [] } };
  const replays: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    fsyncs.push(fsyncMs());
    signed.push(await signedPerSecond({ railUrl, serviceToken, token, milliseconds }));
    for (const clients of [1, 32] as const) {
      const without = await latencies(asks.free, { clients, milliseconds });
      const billed = await latencies(asks.billed, { clients, milliseconds });
      added[clients].p50.push(median(billed) - median(without));
      added[clients].p99.push(quantile(billed, 0.99) - quantile(without, 0.99));
    }
    replays.push(median(await latencies(asks.replayed, { clients: 1, milliseconds })));
    progress(`over HTTP, round ${round}: ${rate(signed.at(-1) ?? 0)} signed`);
  }
  const fsync = median(fsyncs);
  const cost = ([1, 32] as const).map((clients): Row => {
    const [p50, p99] = [median(added[clients].p50), median(added[clients].p99)];
    const goal = `billing adds, ${clients === 1 ? "1 client" : `${clients} clients`}`;
    const measured = `p50 ${ms(p50)}, p99 ${ms(p99)}; fsync ${ms(fsync)}`;
    return { goal, bar: "fsync + 2 ms, 25 ms", measured, met: p50 <= fsync + 2 && p99 <= 25 };
  });
  const most = median(signed);
  const replay = median(replays);
  return [
    { goal: "signed over HTTP, 64 callers", bar: rate(SIGNED_BAR), measured: rate(most), met: most >= SIGNED_BAR },
    ...cost,
    { goal: "replay, p50", bar: ms(REPLAY_BAR_MS), measured: ms(replay), met: replay < REPLAY_BAR_MS },
  ];
}

async function startRail(data: string) {
  const child = fork(new URL("./rail-process.ts", import.meta.url), {
    env: { PATH: process.env["PATH"], TRIPTYCH_DATA: data, RAIL_PORT: "0", LOG_LEVEL: "error" },
  });
  const ended = once(child, "exit");
  const [said]: unknown[] = await Promise.race([once(child, "message"), ended]);
  if (typeof said !== "string") throw new Error(`the rail ended before it listened: ${String(said)}`);
  const serviceToken = (await readFile(join(data, "service-token"), "utf8")).trim();
  return {
    url: said,
    serviceToken,
    async [Symbol.asyncDispose]() {
      child.disconnect();
      await ended;
    },
  };
}

/** With a thousand euros: two million decisions. */
async function openWallet(railUrl: string): Promise<string> {
  const post = async (path: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<string> => {
    const json = { "content-type": "application/json", ...headers };
    const answer = await fetch(`${railUrl}${path}`, { method: "POST", headers: json, body: JSON.stringify(body) });
    if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return await answer.text();
  };
  const { wallet_token } = JSON.parse(await post("/v1/wallets", { email: "bench@example.test" })) as Record<
    string,
    string
  >;
  if (wallet_token === undefined) throw new Error("the rail gave no token");
  await post("/v1/topup", { amount_micro: 1_000_000_000 }, { "x-rail-wallet": wallet_token });
  return wallet_token;
}

/** The tiny gateway of the tests without its rail. */
async function startFreeProxy() {
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      requestDigest({ method: "POST", path: "/v1/route", body: JSON.parse(await text(request)) });
      response.writeHead(200).end(canonicalJson({ action: "delegate", route: "route" }));
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

/** Until the gateway has said hello, and its first key is delivered. */
async function untilAnswered(ask: () => Promise<Response>): Promise<void> {
  for (let attempt = 0; attempt < 1_000; attempt++) {
    const answer = await ask();
    await answer.text();
    if (answer.headers.get("idempotency-replayed") === "true") return;
  }
  throw new Error("the gateway never answered");
}

/** Until a new gateway has said hello. */
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
  const patience = performance.now() + HELLO_MS;
  while (billing.state().phase !== "live" && performance.now() < patience) await setImmediate();
  const call = { walletHash: walletHashOf(token), op: "route", req: "r".repeat(43), res: "s".repeat(43) };
  let done = 0;
  const begun = performance.now();
  const isOver = () => performance.now() - begun > milliseconds;
  const caller = async (): Promise<void> => {
    while (!isOver()) {
      const billed = await billing.charge(call);
      if (billed.kind !== "charged") throw new Error(JSON.stringify(billed));
      billed.delivered();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: 64 }, caller));
  const perSecond = (done / (performance.now() - begun)) * 1000;
  await billing.stop();
  return perSecond;
}

async function latencies(
  ask: () => Promise<Response>,
  { clients, milliseconds }: { readonly clients: number; readonly milliseconds: number },
): Promise<number[]> {
  const found: number[] = [];
  const begun = performance.now();
  const client = async (): Promise<void> => {
    while (performance.now() - begun < milliseconds) {
      const asked = performance.now();
      const answer = await ask();
      await answer.arrayBuffer();
      if (answer.status !== 200) throw new Error(`a decision was answered with ${answer.status}`);
      found.push(performance.now() - asked);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return found;
}
