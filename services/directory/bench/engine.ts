/**
 * Benchmarks the memory engine on generated data: build rate, index size, opening, the 7 query classes and class P of
 * the contract, deep offsets. Usage: node services/directory/bench/engine.ts [items, default 100000] [queries per
 * class] Classes are interleaved; figures are medians of three runs. "wall" is elapsed time, affected by other load;
 * "cpu" is this thread's time in kernel ticks: accurate for slow queries and means, zero for a single fast one.
 */
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median, quantile } from "@triptych/util";
import { NO_FILTERS, type Catalogue, type NormalQuery } from "../src/domain/catalogue.ts";
import { buildIndex } from "../src/domain/index/build.ts";
import { keepItems } from "../src/domain/index/item-store.ts";
import { openMemoryCatalogue } from "../src/domain/index/memory-catalogue.ts";
import { readSnapshotIndex } from "../src/domain/index/snapshot.ts";
import { memoryShare } from "../src/store/open-store.ts";
import { openSnapshotReader, type SnapshotReader } from "../src/store/snapshot-files.ts";
import { seeded } from "../test/support/random.ts";
import { benchQueries, FILTER_CLASSES, filterQueries, QUERY_CLASSES } from "./engine-queries.ts";
import { benchData, type BenchData } from "./generated-items.ts";

const RUNS = 3;
const items = Number(process.argv[2] ?? 100_000);
const queries = Number(process.argv[3] ?? 200);

async function run(path: string): Promise<void> {
  const data = benchData(items);
  say(`${items} items, ${queries} queries per class, ${RUNS} runs`);
  await build(path, data);

  const reader = openSnapshotReader(path);
  try {
    const catalogue = await open(reader);
    const random = seeded(7);
    await measureClasses(catalogue, QUERY_CLASSES, benchQueries(data, { count: queries, random, items }));
    await measureClasses(catalogue, FILTER_CLASSES, filterQueries(data, { count: queries, random }));
    await measureDepth(catalogue);
    await measureRest(catalogue, data);
  } finally {
    await reader.close();
  }
}

async function build(path: string, data: BenchData): Promise<void> {
  const beforeGeneration = cpuMs();
  for (const _ of data.items());
  const generation = cpuMs() - beforeGeneration;

  const file = openSync(path, "w");
  let peak = 0;
  const sink = {
    append: async (bytes: Uint8Array) => {
      for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done);
      peak = Math.max(peak, process.memoryUsage.rss());
    },
  };
  const started = performance.now();
  const before = cpuMs();
  const built = await buildIndex({ items: data.items(), tagLabels: data.tagLabels }, sink);
  closeSync(file);
  const cpu = cpuMs() - before - generation;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  say(
    `build      ${rate(items / (cpu / 1000))} items/s of this thread's CPU (without ${(generation / 1000).toFixed(1)} s of generation); wall ${seconds} s, peak RSS ${mebibytes(peak)}`,
  );
  say(`index      ${(built.indexBytes / items).toFixed(0)} bytes per item; whole snapshot ${mebibytes(built.bytes)}`);
}

async function open({ source }: SnapshotReader): Promise<Catalogue> {
  const started = performance.now();
  const index = await readSnapshotIndex(source);
  const cachedItems = keepItems(index.header, memoryShare(1 / 8));
  const catalogue = openMemoryCatalogue({
    index,
    source,
    cachedItems,
    version: { number: 1, id: "1-bench", publishedAt: 0 },
  });
  const took = performance.now() - started;
  say(`open       ${took.toFixed(0)} ms, ${((took * 1e6) / items).toFixed(0)} ms per million`);
  const sections = Object.entries(index.header.sections).map(([name, [, length]]) => ({ name, length }));
  const largest = sections.sort((a, b) => b.length - a.length).slice(0, 12);
  say(
    `sections   ${largest.map(({ name, length }) => `${name} ${(length / items).toFixed(0)}`).join(", ")} (bytes per item)`,
  );
  return catalogue;
}

async function measureClasses<Name extends string>(
  catalogue: Catalogue,
  names: readonly Name[],
  batches: Readonly<Record<Name, readonly NormalQuery[]>>,
): Promise<void> {
  for (const name of names) for (const query of batches[name].slice(0, 20)) await catalogue.search(query);

  const runs: Record<Name, Sample[]>[] = [];
  for (let run = 0; run < RUNS; run++) {
    const samples = Object.fromEntries(names.map((name) => [name, [] as Sample[]])) as Record<Name, Sample[]>;
    for (let number = 0; number < queries; number++) {
      for (const name of names) samples[name].push(await sampleOf(catalogue, batches[name][number]));
    }
    runs.push(samples);
  }
  const columns = ["wall p50", "wall p99", "cpu mean", "cpu p99", "mean total"];
  say(`${"class (ms)".padEnd(20)}${columns.map((column) => column.padStart(12)).join("")}`);
  for (const name of names) {
    const figure = (of: (values: readonly number[]) => number, key: keyof Sample) =>
      median(runs.map((samples) => of(samples[name].map((sample) => sample[key]))));
    const p50 = figure((values) => quantile(values, 0.5), "wall").toFixed(3);
    const p99 = figure((values) => quantile(values, 0.99), "wall").toFixed(3);
    const cpu = figure(mean, "cpu").toFixed(3);
    const cpuP99 = figure((values) => quantile(values, 0.99), "cpu").toFixed(1);
    const total = figure(mean, "total").toFixed(0);
    say(`${name.padEnd(20)}${[p50, p99, cpu, cpuP99, total].map((column) => column.padStart(12)).join("")}`);
  }
}

interface Sample {
  readonly wall: number;
  readonly cpu: number;
  readonly total: number;
}

async function sampleOf(catalogue: Catalogue, query: NormalQuery): Promise<Sample> {
  const cpu = cpuMs();
  const wall = performance.now();
  const { total } = await catalogue.search(query);
  return { wall: performance.now() - wall, cpu: cpuMs() - cpu, total };
}

/** Offset 100,000 (or the deepest) compared with offset 0 of the same query. */
async function measureDepth(catalogue: Catalogue): Promise<void> {
  const everything: NormalQuery = { ...NO_FILTERS, sort: "title", offset: 0, limit: 20, variant: "summary" };
  const cases: [string, NormalQuery][] = [
    ["title, all", everything],
    ["title, région", { ...everything, regions: ["11"] }],
    ["relevance, 1 word", { ...everything, text: "association", sort: "relevance" }],
    ["distance, 200 km", { ...everything, near: { lat: 48.8566, lon: 2.3522, radiusKm: 200 }, sort: "distance" }],
    ["-updated_at, all", { ...everything, sort: "-updated_at" }],
  ];
  for (const [name, query] of cases) {
    const { total } = await catalogue.search(query);
    const offset = Math.max(0, Math.min(100_000, total - query.limit));
    const [shallow, deep] = [[] as number[], [] as number[]];
    for (let round = 0; round < 60; round++) {
      shallow.push(await timeOf(catalogue, query));
      deep.push(await timeOf(catalogue, { ...query, offset }));
    }
    const [near, far] = [quantile(shallow, 0.5), quantile(deep, 0.5)];
    say(
      `depth      ${name.padEnd(20)} offset 0: ${near.toFixed(3)} ms, offset ${offset}: ${far.toFixed(3)} ms, ratio ${(far / near).toFixed(2)}`,
    );
  }
}

async function measureRest(catalogue: Catalogue, data: BenchData): Promise<void> {
  const random = seeded(9);
  const broken = Array.from({ length: queries }, () => data.text.word()).map(
    (word) => word.slice(0, -3) + random.pick(["q", "zz", "w"]) + word.slice(-1),
  );
  const times: number[] = [];
  for (const text of broken)
    times.push(
      await timeOf(catalogue, { ...NO_FILTERS, text, sort: "relevance", offset: 0, limit: 20, variant: "all" }),
    );
  say(`correction p50 ${quantile(times, 0.5).toFixed(3)} ms, p99 ${quantile(times, 0.99).toFixed(3)} ms`);

  const facets: number[] = [];
  for (const text of ["association", "musée", null]) {
    const started = performance.now();
    await catalogue.facets({ ...NO_FILTERS, text }, ["type", "departement", "region", "tag"]);
    facets.push(performance.now() - started);
  }
  say(
    `facets     one frequent word ${facets[0].toFixed(2)} ms, ${facets[1].toFixed(2)} ms; no filter ${facets[2].toFixed(2)} ms`,
  );

  for (const name of ["commune", "source"] as const) {
    const counted: number[] = [];
    for (const text of ["association", null]) {
      const started = performance.now();
      await catalogue.facets({ ...NO_FILTERS, text }, [name]);
      counted.push(performance.now() - started);
    }
    say(`facet      ${name}: one frequent word ${counted[0].toFixed(2)} ms; no filter ${counted[1].toFixed(2)} ms`);
  }

  let started = performance.now();
  let streamed = 0;
  for await (const _ of catalogue.stream({ ...NO_FILTERS, sort: "title", offset: 0, limit: 50_000, variant: "all" }))
    streamed++;
  say(`stream     ${rate(streamed / ((performance.now() - started) / 1000))} items/s`);
  started = performance.now();
  for (let round = 0; round < 50; round++) await catalogue.nearestSlugs("place", `${round}xyz-ain`, 3);
  say(`suggestion ${((performance.now() - started) / 50).toFixed(2)} ms`);
}

async function timeOf(catalogue: Catalogue, query: NormalQuery): Promise<number> {
  return (await sampleOf(catalogue, query)).wall;
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MiB`;
}

function rate(perSecond: number): string {
  return Math.round(perSecond).toLocaleString("en");
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

const folder = mkdtempSync(join(tmpdir(), "directory-bench-"));
try {
  await run(join(folder, "snapshot"));
} finally {
  rmSync(folder, { recursive: true });
}
