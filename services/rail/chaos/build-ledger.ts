/**
 * Builds a large ledger in a data folder with the ledger's own operations, in full batches, so that audits of it are
 * representative.
 */
import { createHash, randomBytes } from "node:crypto";
import { ulid } from "@triptych/ids";
import type { ChargeInput } from "../src/domain/charge-batch.ts";
import type { Ledger } from "../src/domain/ledger.ts";
import type { Context } from "../src/domain/post-entry.ts";
import { openStore } from "../src/store/open-store.ts";

const WALLETS = 1000;
const BATCH = 64;
/** Concurrent batches, so that one is prepared while another is written. */
const BESIDE = 8;

/** Writes delivered charges of wallets whose tokens are `tokenOf(index)`. */
export async function buildLedger(dataFolder: string, charges: number): Promise<void> {
  await using store = await openStore({ dataFolder, databaseUrl: undefined, sync: "normal" });
  const { ledger } = store;
  await openWallets(ledger, () => contextAt(Date.now()));
  await Promise.all(
    Array.from({ length: BESIDE }, async (_, index) => {
      const instance = { instance: `builder-${index}`, boot: "b1" };
      await ledger.hello(instance, contextAt(Date.now()));
      const share = Math.ceil(charges / BESIDE);
      for (let seq = 1; seq <= share; seq += BATCH) {
        const count = Math.min(BATCH, share - seq + 1);
        const asks = Array.from({ length: count }, (_, next) =>
          askFor(seq + next, (index + seq * BESIDE + next) % WALLETS),
        );
        await apply(ledger, { ...instance, ack: { through: seq - 1, also: [] }, voids: [], charges: asks });
      }
      await apply(ledger, { ...instance, ack: { through: share, also: [] }, voids: [], charges: [] });
    }),
  );

  async function apply(ledger: Ledger, batch: Parameters<Ledger["applyBatches"]>[0][number]): Promise<void> {
    const [outcomes] = await ledger.applyBatches([batch], contextAt(Date.now()));
    if (outcomes?.some(({ status }) => status !== 201) ?? true) throw new Error("a charge was refused");
  }
}

export function tokenOf(index: number): string {
  return `wallet ${index}`;
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function askFor(seq: number, wallet: number): ChargeInput {
  const digests = { req: "r".repeat(43), res: "s".repeat(43) };
  const about = { op: "route", priceId: "decision-v1", priceMicro: 500, keyHash: null, sealed: null };
  return { seq, walletHash: hashOf(tokenOf(wallet)), ...about, ...digests };
}

async function openWallets(ledger: Ledger, context: () => Context): Promise<void> {
  for (let index = 0; index < WALLETS; index++) {
    const at = context();
    const id = at.newId("wal_");
    const owner = { label: null, emailSealed: new Uint8Array(1), emailLookup: "none", network: "none" };
    const token = { tokenHash: hashOf(tokenOf(index)), tokenHint: "none", judgeStarter: () => "deferred" as const };
    await ledger.createWallet({ id, ...owner, ...token }, at);
    await ledger.adjust(id, { amountMicro: 1e12, operator: "builder", reason: "to charge", context: at });
  }
}

function contextAt(now: number): Context {
  return {
    now,
    newId: (prefix) => ulid(prefix.slice(0, -1), now, randomBytes),
    issuer: "http://127.0.0.1:7005",
    kid: "k".repeat(43),
    revenue: "revenue:decisions:rail",
  };
}
