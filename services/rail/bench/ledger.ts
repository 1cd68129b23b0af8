/**
 * What the ledger's core does on this machine, without HTTP and signatures: charges a second on disk, one caller against 64, beside the
 * bare time of an fsync; then the audit of many transfers, and how long the store takes to open again.
 *
 *     node services/rail/bench/ledger.ts [--folder DIR] [--engine sqlite|postgres] [--transfers N] [--seconds N]
 *
 * Run it on the disk that will hold the data. Callers are gateways with one charge in each batch, the worst case; "one gateway" sends 64
 * charges in each. Every batch acknowledges what was charged before, as gateways do. Wallets are picked at random among a thousand.
 */
import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { poolRandom, timeId } from "@triptych/metering";
import { openDatabase, type Database } from "@triptych/storage";
import { postgresMissing, startPostgres } from "@triptych/storage/testing";
import type { ChargeAsk } from "../src/domain/charge-batch.ts";
import type { Ledger } from "../src/domain/ledger.ts";
import type { Context } from "../src/domain/post.ts";
import { createCommitQueue } from "../src/store/commit-queue.ts";
import { RAIL_MIGRATIONS } from "../src/store/migrations.ts";
import { openLedger } from "../src/store/open-ledger.ts";
import type { RailTables } from "../src/store/tables.ts";

const { values } = parseArgs({
  options: {
    folder: { type: "string", default: tmpdir() },
    engine: { type: "string" },
    transfers: { type: "string", default: "200000" },
    seconds: { type: "string", default: "4" },
  },
});
const MEASURED_MS = 1_000 * Number(values.seconds);
const TRANSFERS = Number(values.transfers);
const WALLETS = 1_000;
const folder = mkdtempSync(join(values.folder, "triptych-ledger-"));
const random = poolRandom(randomBytes);
let started = 0;

try {
  print(
    `load of the machine before: ${loadavg()
      .map((one) => one.toFixed(1))
      .join(" ")}`,
  );
  if (values.engine !== "postgres") {
    const path = join(folder, "rail.db");
    await measure("SQLite", `sqlite:${path}`);
    print(`SQLite: ${(statSync(path).size / 1_048_576).toFixed(0)} MB`);
  }
  if (values.engine !== "sqlite") {
    if (postgresMissing() === undefined) await measure("PostgreSQL", await (await startPostgres()).createDatabase());
    else print(`PostgreSQL: ${postgresMissing()}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measure(name: string, url: string): Promise<void> {
  const open = () => openDatabase<RailTables>({ url, schema: "rail", migrations: RAIL_MIGRATIONS });
  {
    await using database = await open();
    const ledger = openLedger(database);
    await openWallets(database);
    const fsyncMs = measureFsync();
    print(`fsync of 4 kB: ${fsyncMs.toFixed(2)} ms`);
    const alone = await chargesPerSecond(ledger, { callers: 1, charges: 1 });
    report(`${name}, 1 caller`, alone);
    const many = await chargesPerSecond(ledger, { callers: 64, charges: 1 });
    report(`${name}, 64 callers`, many, `${(many.perSecond / alone.perSecond).toFixed(1)} x one caller`);
    report(`${name}, one gateway with 64`, await chargesPerSecond(ledger, { callers: 1, charges: 64 }));
    await fill(ledger, database);
    await measureAudit(name, ledger);
  }
  const begun = performance.now();
  await using database = await open();
  const ledger = openLedger(database);
  await ledger.hello({ instance: "again", boot: "b1" }, context());
  print(`${name}: opened again, first write done after ${(performance.now() - begun).toFixed(0)} ms`);
}

interface Rate {
  readonly perSecond: number;
  readonly inCommit: number;
  readonly commitMs: number;
}

function report(name: string, { perSecond, inCommit, commitMs }: Rate, more = ""): void {
  const commit = `${inCommit.toFixed(1)} a commit of ${commitMs.toFixed(1)} ms`;
  print(`${name.padEnd(32)} ${perSecond.toFixed(0).padStart(7)} charges/s  (${commit})  ${more}`);
}

async function chargesPerSecond(
  ledger: Ledger,
  { callers, charges, untilCharges = Infinity }: { callers: number; charges: number; untilCharges?: number },
): Promise<Rate> {
  const commits = { count: 0, charges: 0, ms: 0 };
  const queue = createCommitQueue({
    ledger,
    context,
    onCommit(commit) {
      commits.count += 1;
      commits.charges += commit.charges;
      commits.ms += commit.ms;
    },
  });
  const begun = performance.now();
  const isOver = () =>
    untilCharges === Infinity ? performance.now() - begun > MEASURED_MS : commits.charges >= untilCharges;
  const call = async (): Promise<void> => {
    const instance = `gw-${(started += 1)}`;
    await ledger.hello({ instance, boot: "b1" }, context());
    for (let seq = 1; !isOver(); seq += charges) {
      const asks = Array.from({ length: charges }, (_, place) => askFor(seq + place));
      const ack = { through: seq - 1, also: [] };
      const outcomes = await queue.submit({ instance, boot: "b1", ack, voids: [], charges: asks });
      if (outcomes?.some(({ status }) => status !== 201) ?? true) throw new Error(JSON.stringify(outcomes));
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  const seconds = (performance.now() - begun) / 1_000;
  return {
    perSecond: commits.charges / seconds,
    inCommit: commits.charges / commits.count,
    commitMs: commits.ms / commits.count,
  };
}

function askFor(seq: number): ChargeAsk {
  return {
    seq,
    walletHash: hashFor(Math.floor(Math.random() * WALLETS)),
    keyHash: null,
    op: "route",
    priceId: "decision-v1",
    priceMicro: 500,
    req: "r".repeat(43),
    res: "s".repeat(43),
    sealed: null,
  };
}

function hashFor(place: number): string {
  return String(place).padStart(64, "0");
}

function context(): Context {
  const now = Date.now();
  return {
    now,
    newId: (prefix) => timeId(prefix.slice(0, -1), now, random),
    issuer: "http://127.0.0.1:7005",
    kid: "k".repeat(43),
    revenue: "revenue:decisions:bench",
  };
}

async function openWallets(database: Database<RailTables>): Promise<void> {
  const ledger = openLedger(database);
  for (let place = 0; place < WALLETS; place++) {
    const at = context();
    const id = at.newId("wal_");
    const owner = { label: null, emailSealed: new Uint8Array(1), emailLookup: "none", network: "none" };
    const judgeStarter = () => "deferred" as const;
    const token = { tokenHash: hashFor(place), tokenHint: "none", judgeStarter };
    await ledger.createWallet({ id, ...owner, ...token }, at);
    await ledger.adjust(id, { amountMicro: 1e12, operator: "bench", reason: "bench", context: at });
  }
}

async function fill(ledger: Ledger, { db }: Database<RailTables>): Promise<void> {
  const { rows } = await db
    .selectFrom("transfer")
    .select((query) => query.fn.countAll<number>().as("rows"))
    .executeTakeFirstOrThrow();
  if (rows < TRANSFERS) await chargesPerSecond(ledger, { callers: 1, charges: 64, untilCharges: TRANSFERS - rows });
}

async function measureAudit(name: string, ledger: Ledger): Promise<void> {
  const begun = performance.now();
  const { ok, transfers, entries } = await ledger.audit();
  const seconds = (performance.now() - begun) / 1_000;
  if (!ok) throw new Error("the audit has found something");
  const perMillion = (seconds * 1e6) / transfers;
  print(
    `${name}: audit of ${transfers} transfers and ${entries} entries in ${seconds.toFixed(2)} s, ` +
      `${perMillion.toFixed(1)} s a million; ${(process.memoryUsage.rss() / 1_048_576).toFixed(0)} MB`,
  );
}

function measureFsync(): number {
  const file = openSync(join(folder, "bare"), "w");
  const page = Buffer.alloc(4_096, 1);
  const begun = performance.now();
  let times = 0;
  for (; performance.now() - begun < 1_000; times++) {
    writeSync(file, page);
    fsyncSync(file);
  }
  closeSync(file);
  return (performance.now() - begun) / times;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
