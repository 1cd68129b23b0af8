/**
 * Benchmarks the PostgreSQL engine on generated data: staging, building tables, and the contract's query classes, in
 * wall time. Usage: node services/directory/bench/postgres-catalogue.ts [items, default 100000] [queries per class]
 * [postgres:// of a database] Without a URL it starts a PostgreSQL server (default settings, fsync on).
 */
import { openDatabase } from "@triptych/storage";
import { startPostgres } from "@triptych/storage/testing";
import type { Catalogue } from "../src/domain/catalogue.ts";
import { createDirectoryStore } from "../src/store/directory-store.ts";
import { DIRECTORY_MIGRATIONS, DIRECTORY_SCHEMA, type StoreTables } from "../src/store/tables.ts";
import { seeded } from "../test/support/random.ts";
import { benchQueries, QUERY_CLASSES } from "./engine-queries.ts";
import { benchData, type BenchData } from "./generated-items.ts";

const items = Number(process.argv[2] ?? 100_000);
const queries = Number(process.argv[3] ?? 50);
const BATCH = 2000;
const RUNS = 3;

const url = process.argv[4] ?? (await (await startPostgres()).createDatabase({ postgis: true }));
await using database = await openDatabase<StoreTables>({
  url,
  schema: DIRECTORY_SCHEMA,
  migrations: DIRECTORY_MIGRATIONS,
});
const store = createDirectoryStore({
  database,
  location: { url, schema: DIRECTORY_SCHEMA },
  dataFolder: "/nowhere",
  engine: "postgres",
  indexBytes: 0,
  report: () => {},
  now: Date.now,
});
const data = benchData(items);
await publish();
const source = await store.openSource();
const catalogue = source.current();
if (catalogue !== null) await measure(catalogue, data);
await source.close();

async function publish(): Promise<void> {
  if ((await store.versions.published()) !== null) return;
  const began = performance.now();
  let staged = 0;
  await store.publish(
    {
      cause: "bench",
      async apply(staging) {
        let batch = [];
        for (const item of data.items()) {
          batch.push(item);
          if (batch.length < BATCH) continue;
          await staging.upsert(batch, 0);
          batch = [];
        }
        await staging.upsert(batch, 0);
        await staging.upsertLabels(data.tagLabels.map((label) => ({ ...label, uses: 1 })));
        staged = performance.now();
      },
    },
    (step) => say(`${step} at ${((performance.now() - began) / 1000).toFixed(1)} s`),
  );
  const rate = (ms: number) => `${Math.round(items / (ms / 1000))}/s`;
  say(
    `staged ${rate(staged - began)}, tables built and published ${rate(performance.now() - staged)}, ${Math.round(process.memoryUsage.rss() / 1e6)} MB resident`,
  );
}

async function measure(catalogue: Catalogue, data: BenchData): Promise<void> {
  const classes = benchQueries(data, { count: queries, random: seeded(7), items });
  const times = new Map<string, number[]>(QUERY_CLASSES.map((name) => [name, []]));
  for (let run = 0; run < RUNS; run++) {
    for (let at = 0; at < queries; at++) {
      for (const name of QUERY_CLASSES) {
        const query = classes[name][at];
        if (query === undefined) continue;
        const began = performance.now();
        await catalogue.search(query);
        times.get(name)?.push(performance.now() - began);
      }
    }
  }
  say("class                 p50 ms   p99 ms");
  for (const [name, measured] of times) {
    measured.sort((a, b) => a - b);
    const at = (share: number) => (measured[Math.floor(measured.length * share)] ?? 0).toFixed(1).padStart(8);
    say(`${name.padEnd(20)} ${at(0.5)} ${at(0.99)}`);
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
