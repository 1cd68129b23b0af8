/**
 * Open-loop load generator in its own process. Requests are due at a fixed interval, whatever the responses, and
 * latency counts from the due time. It busy-waits between requests, because a timer can fire a millisecond late, which
 * would count as latency of the router.
 */
import { Agent, request } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { generateTexts } from "../../../packages/decisions/bench/texts.ts";

export interface Load {
  readonly url: string;
  readonly perSecond: number;
  readonly seconds: number;
  readonly seed: number;
}

export interface LoadResult {
  readonly latencies: readonly number[];
  /** Delay from due time to sending: part of the latency, caused by the generator. */
  readonly late: readonly number[];
  readonly failed: number;
  readonly wallMs: number;
}

const CHARACTERS = 60;
const CONNECTIONS = 64;
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

process.on("message", (load: Load) => void run(load).then((loaded) => process.send?.(loaded)));
process.on("disconnect", () => process.exit(0));

async function run({ url, perSecond, seconds, seed }: Load): Promise<LoadResult> {
  const texts = generateTexts(perSecond * seconds, CHARACTERS, seed);
  const latencies: number[] = [];
  const late: number[] = [];
  const pending: Promise<void>[] = [];
  let failed = 0;
  const startedAt = performance.now();
  while (pending.length < texts.length) {
    const due = Math.min(texts.length, Math.floor(((performance.now() - startedAt) * perSecond) / 1000) + 1);
    while (pending.length < due) {
      const dueAt = startedAt + (pending.length * 1000) / perSecond;
      late.push(performance.now() - dueAt);
      pending.push(judge(texts[pending.length], dueAt));
    }
    await nextTurn();
  }
  await Promise.all(pending);
  return { latencies, late, failed, wallMs: performance.now() - startedAt };

  async function judge(text: string, dueAt: number): Promise<void> {
    if ((await ask(`${url}/v1/route`, text)) === 200) latencies.push(performance.now() - dueAt);
    else failed++;
  }
}

function ask(url: string, state: string): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const headers = { "content-type": "application/json" };
  const req = request(url, { method: "POST", agent, headers }, (answer) => {
    answer.resume();
    answer.on("end", () => resolve(answer.statusCode ?? 0));
  });
  req.on("error", () => resolve(0));
  req.end(JSON.stringify({ state }));
  return promise;
}
