/** A gateway in a campaign process, which records its responses. */
import { startPayingProxy } from "../../test/sim/paying-proxy.ts";
import type { ProxyFault } from "../../test/sim/paying-proxy.ts";
import { createChance } from "../../simulation/random.ts";
import { keepGatewayRecord } from "../gateway-record.ts";
import { say, waitForConfig } from "./wait-for-order.ts";

export interface ProxyConfig {
  readonly instance: string;
  readonly railUrl: string;
  readonly serviceToken: string;
  readonly seed: number;
  /** Path of its record. */
  readonly record: string;
  readonly fault: ProxyFault | null;
}

/** Share and maximum duration of slow responses. A kill during a slow response leaves its charge undelivered. */
const SLOW = 0.3;
const SLOW_MS = 12;

const NONE = { through: 0, also: [] } as const;

const config: ProxyConfig = JSON.parse(await waitForConfig());
const chance = createChance(config.seed);
const note = keepGatewayRecord(config.record);

const { url } = await startPayingProxy({
  instance: config.instance,
  railUrl: config.railUrl,
  serviceToken: config.serviceToken,
  fault: config.fault ?? undefined,
  onFinish: ({ chargeId, call }) => note({ kind: "finish", chargeId, tryId: call }),
  onBatch: (what, { boot, ack }) => note(what === "confirmed" ? { kind: what, boot, ...NONE, ...ack } : { kind: what }),
  async beforeAnswer() {
    if (chance.hits(SLOW)) await new Promise((resolve) => setTimeout(resolve, SLOW_MS * chance.next()));
  },
});
say(url);
