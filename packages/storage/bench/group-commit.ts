/**
 * Measures the benefit of group commit on this disk: acknowledged writes per second with 1, 8 and 64 concurrent
 * writers, compared with one commit per write and with the time of an fsync. Then measures rows per second of large
 * batches.
 *
 *     node packages/storage/bench/group-commit.ts [folder]
 *
 * Run it on the data disk: in an in-memory folder, every ratio is about 1.
 */
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type Database, type Insertable, insertMany, openDatabase } from "../src/index.ts";
import { postgresMissing, startPostgres } from "../src/testing/index.ts";
import { account, migrations, type Tables } from "../test/tables.ts";

const MEASURED_MS = 2_000;
let written = 0;
const folder = mkdtempSync(join(process.argv[2] ?? tmpdir(), "triptych-bench-"));

try {
  const fsync = measureFsync(join(folder, "bare"));
  print(`fsync of 4 kB             ${(1_000 / fsync).toFixed(2)} ms  (${fsync.toFixed(0)}/s)`);
  const single = measureSingleCommits(join(folder, "single.db"));
  print(`one commit per write      ${single.toFixed(0)} writes/s`);
  await measureWriters(single);
  await measureBatches();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measureWriters(single: number): Promise<void> {
  await using database = await openStore("grouped.db");
  for (const writers of [1, 8, 64]) {
    for (const kind of ["writes", "transactions"] as const) {
      const rate = await countPerSecond(database, { writers, kind });
      print(
        `${String(writers).padStart(2)} writers, ${kind.padEnd(12)}  ${rate.toFixed(0)} acknowledged/s  ${(rate / single).toFixed(1)} x`,
      );
    }
  }
}

async function measureBatches(): Promise<void> {
  const rows = Array.from({ length: 100_000 }, (_, n) => ({
    ...account(`row-${n}`, n),
    note: `{"name":"A row of ordinary length","n":${n}}`,
  }));
  {
    await using database = await openStore("batch.db");
    await measureInserts(database, "SQLite", rows);
  }
  if (postgresMissing() !== undefined) return print(`PostgreSQL: ${postgresMissing()}`);

  const url = await (await startPostgres()).createDatabase();
  await using database = await openDatabase<Tables>({ url, schema: "bench", migrations });
  await measureInserts(database, "PostgreSQL", rows);
}

async function measureInserts(
  database: Database<Tables>,
  name: string,
  rows: readonly Insertable<Tables["account"]>[],
): Promise<void> {
  const started = performance.now();
  for (let at = 0; at < rows.length; at += 10_000)
    await insertMany(database.db, "account", rows.slice(at, at + 10_000));
  const seconds = (performance.now() - started) / 1_000;
  print(`${name}, batches of 10 000 rows: ${(rows.length / seconds).toFixed(0)} rows/s`);
}

function openStore(name: string): Promise<Database<Tables>> {
  return openDatabase<Tables>({ url: `sqlite:${join(folder, name)}`, schema: "bench", migrations });
}

async function countPerSecond(
  database: Database<Tables>,
  { writers, kind }: { writers: number; kind: "writes" | "transactions" },
): Promise<number> {
  const started = performance.now();
  let acknowledged = 0;
  const write = async (): Promise<void> => {
    while (performance.now() - started < MEASURED_MS) {
      written += 1;
      const row = account(`a${written}`);
      if (kind === "writes") await database.db.insertInto("account").values(row).execute();
      else await database.transaction((tx) => tx.insertInto("account").values(row).execute());
      acknowledged += 1;
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
  return (acknowledged * 1_000) / (performance.now() - started);
}

/** The alternative: the same settings and a prepared statement, but no thread or queue, and one commit per write. */
function measureSingleCommits(path: string): number {
  const database = new DatabaseSync(path);
  database.exec(
    "pragma journal_mode = wal; pragma synchronous = full; create table account (id text primary key, balance integer not null, note text, weight real, seal blob) strict",
  );
  const insert = database.prepare("insert into account (id, balance, note, weight, seal) values (?, ?, ?, ?, ?)");
  let n = 0;
  const rate = repeat(() => insert.run(`a${(n += 1)}`, 0, null, null, null));
  database.close();
  return rate;
}

function measureFsync(path: string): number {
  const file = openSync(path, "w");
  const page = Buffer.alloc(4_096, 1);
  const rate = repeat(() => {
    writeSync(file, page);
    fsyncSync(file);
  });
  closeSync(file);
  return rate;
}

/** Runs per second. */
function repeat(work: () => unknown): number {
  const started = performance.now();
  let times = 0;
  while (performance.now() - started < MEASURED_MS) {
    work();
    times += 1;
  }
  return (times * 1_000) / (performance.now() - started);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
