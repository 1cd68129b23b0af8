/**
 * Measures the ledger alone, without HTTP and signatures: charges per second, a race for an overdraft, the audit, and
 * reopening.
 */
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { median } from "@triptych/util";
import type { Ledger } from "../src/domain/ledger.ts";
import { benchContext, chargesPerSecond, openBenchLedger, openWallets, race } from "./bench-ledger.ts";
import { ms, progress, rate, type Row } from "./report.ts";

export interface CorePlan {
  /** Folder on the disk to measure. */
  readonly folder: string;
  readonly stores: readonly { readonly name: string; readonly url: string; readonly bar: number }[];
  readonly wallets: number;
  readonly rounds: number;
  /** Duration of each metric in each round. */
  readonly milliseconds: number;
}

/** Stores and caller counts alternate, so that other load affects all of them equally. */
export async function measureCharges({ folder, stores, wallets, rounds, milliseconds }: CorePlan): Promise<Row[]> {
  const found = await Promise.all(
    stores.map(async (store) => ({ ...store, ...(await openStoreOf(store.url, wallets)) })),
  );
  const fsyncs: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    fsyncs.push(measureFsync(folder, milliseconds));
    for (const { name, ledger, alone, many, packed } of found) {
      alone.push(await chargesPerSecond(ledger, wallets, { callers: 1, charges: 1, milliseconds }));
      many.push(await chargesPerSecond(ledger, wallets, { callers: 64, charges: 1, milliseconds }));
      packed.push(await chargesPerSecond(ledger, wallets, { callers: 1, charges: 64, milliseconds }));
      progress(
        `${name}, round ${round}: ${[alone, many, packed].map((samples) => rate(samples.at(-1) ?? 0)).join(", ")}`,
      );
    }
  }
  for (const { ledger } of found) await ledger[Symbol.asyncDispose]();
  const fsync = median(fsyncs);
  return found.flatMap(({ name, bar, alone, many, packed }) => {
    const [single, most] = [median(alone), median(many)];
    const times = most / single;
    const ratio = { goal: `${name}: 64 callers against 1`, bar: fsync < 1 ? "20 x on slow disks" : "20 x" };
    return [
      { goal: `${name}: 64 callers`, bar: rate(bar), measured: `${rate(most)}; fsync ${ms(fsync)}`, met: most >= bar },
      {
        goal: `${name}: 64 of one gateway`,
        bar: rate(bar),
        measured: rate(median(packed)),
        met: median(packed) >= bar,
      },
      { ...ratio, measured: `${times.toFixed(1)} x of ${rate(single)}`, met: fsync < 1 ? null : times >= 20 },
    ];
  });
}

async function openStoreOf(url: string, wallets: number) {
  const ledger = await openBenchLedger(url);
  await openWallets(ledger, { count: wallets, micro: 1e12 });
  return { ledger, alone: [] as number[], many: [] as number[], packed: [] as number[] };
}

const AUDIT_BAR_MS = 10_000;
const REOPEN_BAR_MS = 500;

export async function measureAudit(
  { name, url }: CorePlan["stores"][number],
  { wallets, charges }: { readonly wallets: number; readonly charges: number },
): Promise<Row[]> {
  progress(`${name}: ${charges} charges to audit`);
  await using filled = await openBenchLedger(url);
  await openWallets(filled, { count: wallets, micro: 1e12 });
  await chargesPerSecond(filled, wallets, { callers: 1, charges: 64, count: charges });
  const startedAt = performance.now();
  const { ok, transfers } = await filled.audit();
  const perMillion = ((performance.now() - startedAt) * 1e6) / transfers;
  if (!ok) throw new Error("the audit found violations");
  await filled[Symbol.asyncDispose]();
  const closed = performance.now();
  await using ledger: Ledger = await openBenchLedger(url);
  await ledger.hello({ instance: "again", boot: "b1" }, benchContext());
  const opened = performance.now() - closed;
  const audited = `${(perMillion / 1000).toFixed(1)} s a million, of ${transfers.toLocaleString("en-US")}`;
  return [
    { goal: `${name}: audit`, bar: "10 s a million", measured: audited, met: perMillion < AUDIT_BAR_MS },
    {
      goal: `${name}: open to first write`,
      bar: ms(REOPEN_BAR_MS),
      measured: `${ms(opened)} at ${charges.toLocaleString("en-US")} charges`,
      met: opened < REOPEN_BAR_MS,
    },
  ];
}

export async function measureRace({ name, url }: CorePlan["stores"][number], charges: number): Promise<Row[]> {
  await using ledger = await openBenchLedger(url);
  await openWallets(ledger, { count: 1, micro: 5_000 });
  const answered = await race(ledger, charges);
  const [paid, refused] = [answered.get(201) ?? 0, answered.get(402) ?? 0];
  return [
    {
      goal: `${name}: overdraft race`,
      bar: `10 x 201, ${charges - 10} x 402`,
      measured: `${paid} x 201, ${refused} x 402`,
      met: paid === 10 && refused === charges - 10,
    },
  ];
}

/** Duration of an fsync of 4 KB, in milliseconds. */
export function measureFsync(folder: string, milliseconds: number): number {
  const path = join(folder, "bare");
  const file = openSync(path, "w");
  const page = Buffer.alloc(4_096, 1);
  const startedAt = performance.now();
  let times = 0;
  do {
    writeSync(file, page);
    fsyncSync(file);
    times += 1;
  } while (performance.now() - startedAt < milliseconds / 4);
  closeSync(file);
  rmSync(path);
  return (performance.now() - startedAt) / times;
}
