/** A rail with scripted responses, and a clock that the test controls. */
import assert from "node:assert/strict";
import type {
  BillingTransport,
  ChargeBatch,
  ChargeCall,
  Charged,
  ChargeOutcome,
  ChargeResults,
  Hello,
  ResolvedWallet,
} from "../src/index.ts";
import { createBilling, type Billing, type BillingOptions } from "../src/index.ts";

type Answer<T> = (() => T | Promise<T>) | undefined;

export interface Fixture {
  readonly billing: Billing;
  readonly batches: ChargeBatch[];
  readonly greetings: string[];
  readonly resolved: string[];
  /** The rail's next results, each used once. After that, it accepts every charge with an unlimited balance. */
  readonly next: {
    hello: Answer<Hello | "fenced">[];
    charge: ((batch: ChargeBatch) => ChargeResults | "fenced" | Promise<ChargeResults | "fenced">)[];
    resolve: Answer<ResolvedWallet | null>[];
  };
  /** Advances the clock and runs all timers that become due, in order. */
  pass(ms: number): Promise<void>;
  now(): number;
}

export const unreachable = () => Promise.reject(new Error("connection refused"));
export const never = <T>() => new Promise<T>(() => {});

export function charged(batch: ChargeBatch): ChargeResults {
  return (batch.charges ?? []).map(({ seq }) => ({
    seq,
    status: 201 as const,
    charge_id: `chg_${batch.boot}_${seq}`,
    amount_micro: 500,
    balance_micro: 9500,
    wallet_seq: seq,
    receipt: `receipt of ${seq}`,
  }));
}

export const WALLET = {
  wallet_id: "wal_1",
  status: "active",
  balance_micro: 10_000,
  spendable_micro: 10_000,
  ops: null,
  reached: null,
} satisfies ResolvedWallet;

export async function createFixture(more: Partial<BillingOptions> = {}): Promise<Fixture> {
  let now = 0;
  let sequence = 0;
  let byte = 0;
  const due: { at: number; sequence: number; act: (() => void) | null }[] = [];
  const [batches, greetings, resolved] = [[] as ChargeBatch[], [] as string[], [] as string[]];
  const next: Fixture["next"] = { hello: [], charge: [], resolve: [] };
  const transport: BillingTransport = {
    async hello({ boot }) {
      greetings.push(boot);
      return (await next.hello.shift()?.()) ?? { voided: 0, lease_seconds: 30 };
    },
    async resolve(walletHash) {
      resolved.push(walletHash);
      const answer = next.resolve.shift();
      return answer ? await answer() : WALLET;
    },
    async charge(batch) {
      batches.push(structuredClone(batch));
      return await (next.charge.shift() ?? charged)(batch);
    },
  };
  const billing = createBilling({
    instance: "gw-1",
    transport,
    now: () => now,
    random: (count) => new Uint8Array(count).fill(++byte),
    timers: {
      after(ms, act) {
        const timer: (typeof due)[number] = { at: now + Math.max(0, ms), sequence: sequence++, act };
        due.push(timer);
        return () => void (timer.act = null);
      },
    },
    ...more,
  });
  const pass = async (ms: number) => {
    const until = now + ms;
    for (;;) {
      await settled();
      due.sort((a, b) => a.at - b.at || a.sequence - b.sequence);
      const timer = due.shift();
      if (timer === undefined || timer.at > until) {
        if (timer !== undefined) due.push(timer);
        now = until;
        return;
      }
      now = Math.max(now, timer.at);
      timer.act?.();
    }
  };
  await pass(0);
  return { billing, batches, greetings, resolved, next, pass, now: () => now };
}

function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

export const call = (more: Partial<ChargeCall> = {}): ChargeCall => ({
  walletHash: "a".repeat(64),
  op: "route",
  req: "q".repeat(43),
  res: "s".repeat(43),
  ...more,
});

export function isCharged(outcome: ChargeOutcome): Charged {
  assert.equal(outcome.kind, "charged", JSON.stringify(outcome));
  assert.ok(outcome.kind === "charged");
  return outcome;
}

/** Advances the clock while the work runs. */
export async function during<T>(work: Promise<T>, pass: () => Promise<void>): Promise<T> {
  await pass();
  return work;
}
