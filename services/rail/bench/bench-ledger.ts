/**
 * A ledger with wallets of practically unlimited balance, and callers that charge random wallets like gateways do: each
 * batch acknowledges the previous charges.
 */
import { randomBytes } from "node:crypto";
import { ulid } from "@triptych/ids";
import { openDatabase } from "@triptych/storage";
import { NO_CAPS } from "../src/domain/caps.ts";
import type { ChargeInput } from "../src/domain/charge-batch.ts";
import type { Ledger } from "../src/domain/ledger.ts";
import type { Context } from "../src/domain/post-entry.ts";
import { createCommitQueue } from "../src/store/commit-queue.ts";
import { RAIL_MIGRATIONS } from "../src/store/migrations.ts";
import { openLedger } from "../src/store/open-ledger.ts";
import type { RailTables } from "../src/store/tables.ts";

export interface Charging {
  readonly callers: number;
  /** Charges in each batch of a caller. */
  readonly charges: number;
  /** The measurement ends after this time or this number of charges, whichever comes first. */
  readonly milliseconds?: number;
  readonly count?: number;
  /** Index of the first wallet to charge; default 0. */
  readonly first?: number;
}

export async function openBenchLedger(url: string): Promise<Ledger> {
  return openLedger(await openDatabase<RailTables>({ url, schema: "rail", migrations: RAIL_MIGRATIONS }));
}

interface Wallets {
  readonly count: number;
  readonly micro: number;
  /** Index of the first wallet; default 0. */
  readonly first?: number;
  /** Whether the wallet has a daily cap and is charged with a sub-token of a total cap; neither is ever reached. */
  readonly capped?: boolean;
}

export async function openWallets(ledger: Ledger, { count, micro, first = 0, capped }: Wallets): Promise<void> {
  const open = async (index: number): Promise<void> => {
    const at = benchContext();
    const id = at.newId("wal_");
    const owner = { label: null, emailSealed: new Uint8Array(1), emailLookup: "none", network: "none" };
    const hash = walletHash(index);
    const token = {
      tokenHash: capped === true ? `main ${hash}` : hash,
      tokenHint: "none",
      judgeStarter: () => "deferred" as const,
    };
    await ledger.createWallet({ id, ...owner, ...token }, at);
    await ledger.adjust(id, { amountMicro: micro, operator: "bench", reason: "bench", context: at });
    if (capped !== true) return;
    await ledger.changeWallet(id, { caps: { per_day: micro } });
    const about = { id: at.newId("tok_"), walletId: id, tokenHash: hash, hint: "none", name: "bench", ops: null };
    await ledger.createSubToken({ ...about, caps: { ...NO_CAPS, total: micro }, expiresAt: null, now: at.now });
  };
  let next = 0;
  const openers = Array.from({ length: OPENED_AT_ONCE }, async () => {
    while (next < count) await open(first + next++);
  });
  await Promise.all(openers);
}

/** Lower than the number of connections of a process to PostgreSQL. */
const OPENED_AT_ONCE = 8;

/** Charges per second. */
export async function chargesPerSecond(
  ledger: Ledger,
  wallets: number,
  { callers, charges, milliseconds = Infinity, count = Infinity, first = 0 }: Charging,
): Promise<number> {
  let done = 0;
  const queue = createCommitQueue({ ledger, context: benchContext });
  const startedAt = performance.now();
  const call = async (): Promise<void> => {
    const instance = randomBytes(8).toString("hex");
    await ledger.hello({ instance, boot: "b1" }, benchContext());
    // Runs at least once, because a busy machine must not report zero charges.
    for (let seq = 1; seq === 1 || (done < count && performance.now() - startedAt < milliseconds); seq += charges) {
      const asks = Array.from({ length: charges }, (_, index) =>
        askFor(seq + index, first + Math.floor(Math.random() * wallets)),
      );
      const ack = { through: seq - 1, also: [] };
      const outcomes = await queue.submit({ instance, boot: "b1", ack, voids: [], charges: asks });
      if (outcomes?.some(({ status }) => status !== 201) ?? true) throw new Error(JSON.stringify(outcomes));
      done += charges;
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  return done / ((performance.now() - startedAt) / 1_000);
}

/** Charges one wallet concurrently, by gateways with 64 charges each. Returns the number of responses by status. */
export async function race(ledger: Ledger, charges: number): Promise<ReadonlyMap<number, number>> {
  const queue = createCommitQueue({ ledger, context: benchContext });
  const answered = new Map<number, number>();
  const gateway = async (count: number): Promise<void> => {
    const instance = randomBytes(8).toString("hex");
    await ledger.hello({ instance, boot: "b1" }, benchContext());
    const asks = Array.from({ length: count }, (_, index) => askFor(index + 1, 0));
    const outcomes = await queue.submit({ instance, boot: "b1", ack: null, voids: [], charges: asks });
    for (const { status } of outcomes ?? []) answered.set(status, (answered.get(status) ?? 0) + 1);
  };
  const gateways = Array.from({ length: Math.ceil(charges / 64) }, (_, index) => Math.min(64, charges - 64 * index));
  await Promise.all(gateways.map(gateway));
  return answered;
}

function askFor(seq: number, wallet: number): ChargeInput {
  const about = { op: "route", priceId: "decision-v1", priceMicro: 500, req: "r".repeat(43), res: "s".repeat(43) };
  return { seq, walletHash: walletHash(wallet), keyHash: null, sealed: null, ...about };
}

function walletHash(index: number): string {
  return String(index).padStart(64, "0");
}

export function benchContext(): Context {
  const now = Date.now();
  return {
    now,
    newId: (prefix) => ulid(prefix.slice(0, -1), now, randomBytes),
    issuer: "http://127.0.0.1:7005",
    kid: "k".repeat(43),
    revenue: "revenue:decisions:bench",
  };
}
