/**
 * Compares the memory engine, the PostgreSQL engine and other databases on the same items. All run the same queries in
 * small blocks and must return the same totals. Times are wall time of one client on one core, including the page.
 *
 * CPU caches contain the previous engine's data after each switch, so each block starts with unmeasured queries of the
 * same class. The order of engines rotates between blocks.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Catalogue, NormalQuery } from "../../services/directory/src/domain/catalogue.ts";
import { benchQueries, QUERY_CLASSES, type QueryClass } from "../../services/directory/bench/engine-queries.ts";
import { benchData } from "../../services/directory/bench/generated-items.ts";
import { openEngine } from "../../services/directory/bench/peers-engine.ts";
import { loadMiniSearch, loadOrama } from "../../services/directory/bench/peers-libraries.ts";
import { loadPostgres } from "../../services/directory/bench/peers-postgres.ts";
import { openProductPeer, type ProductPeer } from "../../services/directory/bench/peers-product.ts";
import {
  inBatches,
  peerItems,
  peerQuery,
  type Peer,
  type PeerAnswer,
  type PeerQuery,
} from "../../services/directory/bench/peers-query.ts";
import { loadSphinx, sphinxMissing } from "../../services/directory/bench/peers-sphinx.ts";
import { loadSqlite } from "../../services/directory/bench/peers-sqlite.ts";
import { seeded } from "../../services/directory/test/support/random.ts";
import { milliseconds, progress, times, type Figures, type Goal } from "./report.ts";
import { median } from "@triptych/util";

export interface PeersOptions {
  readonly folder: string;
  readonly items: number;
  /** Queries per class. */
  readonly queries: number;
  readonly runs: number;
  readonly withEngineB: boolean;
}

const BATCH = 2000;
/** Maximum queries per block: few enough that every engine is first once. */
const BLOCK = 20;
/** Unmeasured queries before a block. */
const WARMING = 5;
const OURS = "memory engine";
const ENGINE_B = "engine (b)";
const POSTGRES = "PostgreSQL + PostGIS";
/** The classes that matter most: text and points. */
const HARD: readonly QueryClass[] = ["1-2 words", "near", "words+near+tag", "words+région+type", "P prefix"];
const FASTER_THAN_POSTGRES = 10;
const FASTER_THAN_PEERS = 5;
const ENGINE_B_MS = 150;
/** For a million items MiniSearch takes half an hour and 6.7 GB, and Orama more. */
const LIBRARY_ITEMS_MAX = 100_000;

/** Engine -> class -> wall milliseconds of each query. */
type Times = Map<string, Record<QueryClass, number[]>>;

export async function measurePeers(options: PeersOptions): Promise<Figures> {
  const { folder, items } = options;
  await mkdir(folder, { recursive: true });
  await using opened = new AsyncDisposableStack();
  progress(`peers: memory engine over ${items} items`);
  const engine = opened.use(await openEngine(folder, items));
  const noSphinx = sphinxMissing();
  const hasLibraries = items <= LIBRARY_ITEMS_MAX;
  const notes = [
    ...(noSphinx === undefined ? [] : [`${noSphinx}; not in the table.`]),
    ...(hasLibraries ? [] : [`MiniSearch and Orama are measured with at most ${LIBRARY_ITEMS_MAX} items.`]),
  ];
  const loadings = [
    opened.use(loadSqlite(folder)),
    ...(hasLibraries ? [opened.use(loadMiniSearch()), opened.use(loadOrama())] : []),
    ...(noSphinx === undefined ? [opened.use(await loadSphinx(folder))] : []),
    opened.use(await loadPostgres()),
  ];
  progress(`peers: loading ${loadings.map(({ name }) => name).join(", ")}`);
  for (const batch of inBatches(peerItems(engine.index), BATCH))
    for (const loading of loadings) await loading.add(batch);
  const peers: Peer[] = [];
  for (const loading of loadings) {
    progress(`peers: indexing ${loading.name}`);
    peers.push(await loading.finish());
  }
  const product = options.withEngineB ? await openProduct(join(folder, "engine-b"), items) : null;
  if (product !== null) opened.use(product);

  const contestants: Contestant[] = [
    { name: OURS, search: ({ query }) => pageOf(engine.catalogue, query) },
    ...peers.map((peer) => ({
      name: peer.name,
      search: ({ translatedQuery }: Question) => peer.search(translatedQuery),
    })),
  ];
  if (product !== null) contestants.push({ name: ENGINE_B, search: ({ query }) => pageOf(product.catalogue, query) });
  const batches = benchQueries(benchData(items), { count: options.queries, random: seeded(7), items });
  const size = Math.max(1, Math.min(BLOCK, Math.floor(options.queries / contestants.length)));
  const warming = benchQueries(benchData(items), {
    count: Math.ceil(options.queries / size) * WARMING,
    random: seeded(8),
    items,
  });
  const askable = (query: NormalQuery): Question => ({
    query: { ...query, strict: true },
    translatedQuery: peerQuery(query, engine.index),
  });
  const times: Times = new Map(contestants.map(({ name }) => [name, emptyTimes()]));
  const totals = emptyTimes();
  // Warm-up, then measured.
  for (let run = 0; run <= options.runs; run++) {
    progress(`peers: ${run === 0 ? "warming up" : `run ${run} of ${options.runs}`}`);
    const count = run === 0 ? size : options.queries;
    for (let first = 0; first < count; first += size) {
      const block = first / size;
      for (const [number, name] of QUERY_CLASSES.entries()) {
        const questions = batches[name].slice(first, Math.min(first + size, count)).map(askable);
        const before = warming[name].slice(block * WARMING, (block + 1) * WARMING).map(askable);
        // Classes start at different offsets, so that few blocks suffice for a full rotation.
        const found = await askEach(rotated(contestants, run + block + number), { before, questions });
        if (run === 0) continue;
        totals[name].push(...found.totals);
        for (const [who, took] of found.times) times.get(who)?.[name].push(...took);
      }
    }
  }
  return figuresOf(options, { times, peers, totals, notes, withProduct: product !== null });
}

interface Question {
  readonly query: NormalQuery;
  readonly translatedQuery: PeerQuery;
}

interface Contestant {
  readonly name: string;
  search(question: Question): Promise<PeerAnswer | null>;
}

/** Rotates a list to start at this position. */
function rotated<T>(list: readonly T[], steps: number): T[] {
  const first = steps % list.length;
  return [...list.slice(first), ...list.slice(0, first)];
}

/** Sends a block of queries to each engine in turn. All must count the same matches. */
async function askEach(
  contestants: readonly Contestant[],
  { before, questions }: { readonly before: readonly Question[]; readonly questions: readonly Question[] },
) {
  const times = new Map<string, number[]>();
  const totals: number[] = [];
  for (const { name, search } of contestants) {
    for (const question of before) await search(question);
    const took: number[] = [];
    for (const [number, question] of questions.entries()) {
      const began = performance.now();
      const answer = await search(question);
      if (answer === null) continue;
      took.push(performance.now() - began);
      const { total, returned } = answer;
      const expected = (totals[number] ??= total);
      const { limit, offset } = question.query;
      if (total !== expected || returned !== Math.max(0, Math.min(limit, total - offset))) {
        const queryText = JSON.stringify(question.query);
        throw new Error(`${name} finds ${total} (page ${returned}), ${contestants[0].name} ${expected}: ${queryText}`);
      }
    }
    times.set(name, took);
  }
  return { times, totals };
}

function openProduct(folder: string, items: number): Promise<ProductPeer | null> {
  progress("peers: publishing to the PostgreSQL engine");
  return openProductPeer(folder, items);
}

function emptyTimes(): Record<QueryClass, number[]> {
  return {
    "type+département": [],
    tag: [],
    "1-2 words": [],
    near: [],
    "words+near+tag": [],
    "région, deep": [],
    "words+région+type": [],
    "P prefix": [],
  };
}

async function pageOf(catalogue: Catalogue, query: NormalQuery): Promise<PeerAnswer> {
  const { total, hits } = await catalogue.search(query);
  return { total, returned: hits.length };
}

interface Found {
  readonly times: Times;
  readonly peers: readonly Peer[];
  /** Matches of each query. */
  readonly totals: Readonly<Record<QueryClass, readonly number[]>>;
  readonly notes: readonly string[];
  readonly withProduct: boolean;
}

function figuresOf({ items, queries, runs }: PeersOptions, found: Found): Figures {
  const { peers, totals, notes, withProduct } = found;
  /** NaN: the peer has no such queries. */
  const p50 = (who: string, name: QueryClass) => {
    const took = found.times.get(who)?.[name] ?? [];
    return took.length === 0 ? NaN : median(took);
  };
  const ratio = (who: string, name: QueryClass) => p50(who, name) / p50(OURS, name);
  const cell = (who: string, name: QueryClass) =>
    Number.isNaN(p50(who, name)) ? "-" : `${milliseconds(p50(who, name))} (${times(ratio(who, name))})`;
  const others = [...peers.map((peer) => peer.name), ...(withProduct ? [ENGINE_B] : [])];
  const scale = items.toLocaleString("en-US");
  const rows = QUERY_CLASSES.map((name) => [
    name,
    milliseconds(p50(OURS, name)),
    ...others.map((who) => cell(who, name)),
    Math.round(median(totals[name])).toString(),
  ]);
  const hard = HARD.map((name) => ratio(POSTGRES, name));
  const all = peers
    .flatMap((peer) => QUERY_CLASSES.map((name) => ratio(peer.name, name)))
    .filter((factor) => !Number.isNaN(factor));
  const goals: Goal[] = [
    {
      goal: `memory engine / PostgreSQL + PostGIS, text and geo classes, ${scale}`,
      bar: `>= ${FASTER_THAN_POSTGRES} x faster`,
      measured: rangeOf(hard),
      met: Math.min(...hard) >= FASTER_THAN_POSTGRES,
    },
    {
      goal: `memory engine / each of ${peers.map(({ name }) => name).join(", ")}, every class, ${scale}`,
      bar: `>= ${FASTER_THAN_PEERS} x faster`,
      measured: rangeOf(all),
      met: Math.min(...all) >= FASTER_THAN_PEERS,
    },
    engineBGoal(scale, withProduct, p50),
  ];
  return {
    goals,
    tables: [
      {
        title: `Peers at ${scale} items: p50 of ${queries} queries x ${runs} runs, and ratio to ours`,
        heads: ["class", OURS, ...others, "median total"],
        rows,
      },
      {
        title: `Peers at ${scale} items: bytes per item on disk`,
        heads: ["peer", "bytes"],
        rows: peers.map(({ name, bytes }) => [name, bytes === null ? "?" : (bytes / items).toFixed(0)]),
      },
    ],
    notes,
  };
}

function rangeOf(ratios: readonly number[]): string {
  return `${times(Math.min(...ratios))} to ${times(Math.max(...ratios))}`;
}

function engineBGoal(scale: string, exists: boolean, p50: (who: string, name: QueryClass) => number): Goal {
  const goal = `engine (b), ${scale}`;
  const bar = `p50 <= ${ENGINE_B_MS} ms per class; not slower than plain to_tsvector`;
  if (!exists) return { goal, bar, measured: "not measured in this run", met: null };

  const slowest = Math.max(...QUERY_CLASSES.map((name) => p50(ENGINE_B, name)));
  const ratios = QUERY_CLASSES.map((name) => p50(ENGINE_B, name) / p50(POSTGRES, name));
  return {
    goal,
    bar,
    measured: `slowest class ${milliseconds(slowest)}; ${rangeOf(ratios)} of plain PostgreSQL`,
    met: slowest <= ENGINE_B_MS && Math.max(...ratios) <= 1,
  };
}
