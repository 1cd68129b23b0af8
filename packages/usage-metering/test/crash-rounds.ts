/** Repeatedly kills a metering process and verifies the stored usage. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openDatabase } from "@triptych/storage";
import { createKeys, openKeyStore } from "@triptych/api-keys";
import { createBillingLedger, type RowDifference } from "../src/index.ts";
import { createRandom, forms, migrations, plans, type TestTables } from "./fixture.ts";

export interface CrashReport {
  readonly kills: number;
  /** Items reported as sent by the killed processes, and items booked. */
  readonly served: number;
  readonly booked: number;
  readonly differences: readonly RowDifference[];
  /** Longest time before a kill from which settled requests were lost, excluding time blocked by other processes. */
  readonly lostMs: number;
}

export async function crashRounds(kills: number): Promise<CrashReport> {
  const folder = await mkdtemp(join(tmpdir(), "triptych-crash-"));
  try {
    const file = join(folder, "store.db");
    // Rows of one key are summed immediately, those of the other in thousands.
    const keyIds = [await createKey(file, "tiered"), await createKey(file, "busy")];
    let served = 0;
    let booked = 0;
    let lostMs = 0;
    for (let round = 0; round < kills; round++) {
      const keyId = keyIds[round % keyIds.length];
      assert.ok(keyId);
      const entries = await killAfter([file, keyId, join(folder, "notes")], 20 + ((round * 37) % 160));
      const { items, differences } = await readLedger(file);
      const lost = entries.filter((line) => line.served > items - booked);
      lostMs = Math.max(lostMs, lost.length === 0 ? 0 : timeOf(lost));
      served += entries.at(-1)?.served ?? 0;
      booked = items;
      if (differences.length > 0 || booked > served) return { kills: round + 1, served, booked, differences, lostMs };
    }
    return { kills, served, booked, differences: [], lostMs };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function createKey(file: string, plan: string): Promise<string> {
  await using database = await openDatabase<TestTables>({ url: `sqlite:${file}`, schema: "test", migrations });
  const keys = createKeys({ store: openKeyStore(database), plans, forms, clock: Date.now, random: randomBytes });
  const { key } = await keys.create({ name: "crash", plan, test: false, dailyItems: "none" });
  return key.id;
}

interface LogEntry {
  readonly served: number;
  readonly at: number;
  readonly delayMs: number;
}

/** Milliseconds from the first to the last entry, excluding time blocked by other processes. */
function timeOf(entries: readonly LogEntry[]): number {
  const [first, last] = [entries.at(0), entries.at(-1)];
  if (first === undefined || last === undefined) return 0;
  return Math.round(last.at - first.at - (last.delayMs - first.delayMs));
}

/** Starts the process, kills it `ms` after its first line, and returns all records. */
async function killAfter(
  args: readonly [file: string, keyId: string, notes: string],
  ms: number,
): Promise<readonly LogEntry[]> {
  const program = fileURLToPath(new URL("crash-child.ts", import.meta.url));
  const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  const closed = once(child, "close");
  setTimeout(() => child.kill("SIGKILL"), ms);
  const [, signal] = await closed;
  assert.equal(signal, "SIGKILL");

  const lines = (await readFile(args[2], "utf8")).split("\n").slice(0, -1);
  return lines.map((line) => {
    const [served = Number.NaN, at = Number.NaN, delayMs = Number.NaN] = line.split(" ").map(Number);
    return { served, at, delayMs };
  });
}

async function readLedger(
  file: string,
): Promise<{ readonly items: number; readonly differences: readonly RowDifference[] }> {
  await using database = await openDatabase<TestTables>({ url: `sqlite:${file}`, schema: "test", migrations });
  const ledger = createBillingLedger({ database, service: "test", clock: Date.now, random: createRandom(4) });
  const { sum } = await database.db
    .selectFrom("usage_row")
    .select(({ fn }) => fn.sum<number | null>("items").as("sum"))
    .executeTakeFirstOrThrow();
  return { items: sum ?? 0, differences: await ledger.verify("2000-01-01", "2999-12-31") };
}
