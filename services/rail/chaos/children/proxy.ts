/**
 * A gateway in a process of the campaign. It writes down each answer that has left, at once and past any buffer of its own: what it wrote
 * outlives a kill, and is what the ledger is held against.
 */
import { openSync, writeSync } from "node:fs";
import { startPayingProxy } from "../../test/sim/paying-proxy.ts";
import type { ProxyFault } from "../../test/sim/paying-proxy.ts";
import { createChance } from "../../sim/random.ts";
import { say, waitForOrder } from "./wait-for-order.ts";

export interface ProxyOrder {
  readonly instance: string;
  readonly railUrl: string;
  readonly serviceToken: string;
  readonly seed: number;
  /** Lines are added to it: `finish <time> <charge> <call>` and `batch <time> <milliseconds>`. */
  readonly record: string;
  readonly fault: ProxyFault | null;
}

/** How many answers wait on a slow connection, and for how long at most: the time in which a kill leaves a charge undelivered. */
const SLOW = 0.3;
const SLOW_MS = 12;

const order: ProxyOrder = JSON.parse(await waitForOrder());
const record = openSync(order.record, "a");
const chance = createChance(order.seed);
const note = (what: string) => void writeSync(record, `${what}\n`);
const wallTime = () => (performance.timeOrigin + performance.now()).toFixed(2);

const { url } = await startPayingProxy({
  instance: order.instance,
  railUrl: order.railUrl,
  serviceToken: order.serviceToken,
  fault: order.fault ?? undefined,
  onFinish: ({ chargeId, call }) => note(`finish ${wallTime()} ${chargeId} ${call}`),
  onBatch: (ms) => note(`batch ${wallTime()} ${ms.toFixed(2)}`),
  async beforeAnswer() {
    if (chance.hits(SLOW)) await new Promise((resolve) => setTimeout(resolve, SLOW_MS * chance.next()));
  },
});
say(url);
