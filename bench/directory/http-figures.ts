/**
 * The whole answer of the real service against a bare Fastify that sends the same bytes, class by class; how many requests a core
 * answers, with metering and without; and a page at a great depth. Servers and client are processes of their own; blocks of the
 * servers alternate, so that whatever else the machine does hits all of them.
 */
import { benchQueries, QUERY_CLASSES, type QueryClass } from "../../services/directory/bench/engine-queries.ts";
import { benchData } from "../../services/directory/bench/generated-items.ts";
import { startChild, type Child } from "../../services/directory/bench/http-child.ts";
import { createManyKeys } from "../../services/directory/bench/http-keys.ts";
import type { LoadVerbs } from "../../services/directory/bench/http-load.ts";
import { addressOf } from "../../services/directory/bench/http-queries.ts";
import type { ServerVerbs } from "../../services/directory/bench/http-server.ts";
import { seeded } from "../../services/directory/test/support/random.ts";
import { milliseconds, perSecond, progress, times, type Figures, type Goal } from "./report.ts";
import { median, quantile } from "./statistics.ts";

export interface HttpOptions {
  readonly dataFolder: string;
  readonly items: number;
  readonly queries: number;
  readonly runs: number;
  /** Seconds of each stretch of full load. */
  readonly seconds: number;
  readonly keys: readonly string[];
}

const SCRIPTS = "../../services/directory/bench/";
const FILTERS_ONLY: readonly QueryClass[] = ["type+département", "tag", "région, deep"];
const RATIO_BARS = { filters: 2, every: 4 };
const RATE_BAR = 2000;
const METERING_BAR = 0.05;
const DEPTH_BAR = 1.2;
const CONNECTIONS = 16;
/** Each at 120 requests a minute: enough for 6 000 requests a second. */
const KEYS = 3000;

export type Client = Child<LoadVerbs>;
export type ServerChild = Child<ServerVerbs>;

export async function prepareKeys(dataFolder: string): Promise<string[]> {
  progress(`http: creating ${KEYS} keys`);
  return createManyKeys(dataFolder, KEYS);
}

export function startClient(): Client {
  return startChild<LoadVerbs>(new URL(`${SCRIPTS}http-load.ts`, import.meta.url));
}

function startServer(
  kind: "product" | "unmetered" | "static",
  environment: Readonly<Record<string, string>> = {},
): ServerChild {
  const settings = { NODE_ENV: "production", DIRECTORY_PORT: "0", ...environment };
  return startChild<ServerVerbs>(new URL(`${SCRIPTS}http-server.ts`, import.meta.url), {
    environment: settings,
    words: [kind],
  });
}

/** The addresses of each class, in the order of its queries. */
export function addresses(items: number, count: number): Record<QueryClass, string[]> {
  const data = benchData(items);
  const labels = new Map(data.tagLabels.map(({ slug, label }) => [slug, label]));
  const batches = benchQueries(data, { count, random: seeded(7), items });
  const of = (name: QueryClass) => batches[name].map((query) => addressOf(query, (slug) => labels.get(slug) ?? slug));
  // `benchQueries` has just given every class its batch.
  return Object.fromEntries(QUERY_CLASSES.map((name) => [name, of(name)])) as Record<QueryClass, string[]>;
}

/** Without kept pages every question is answered anew; with them, and the same questions again and again, none is. */
const KEPT_PAGES = [
  { label: "", environment: { DIRECTORY_PAGE_BYTES: "0" } },
  { label: ", pages kept", environment: {} },
] as const;

interface Scene {
  /** Behind the names of goals and tables. */
  readonly label: string;
  readonly client: Client;
  readonly paths: Record<QueryClass, string[]>;
  readonly product: ServerChild;
  readonly unmetered: ServerChild;
  readonly still: ServerChild;
}

export async function measureHttp(options: HttpOptions): Promise<Figures> {
  const { dataFolder, items, queries, keys } = options;
  await using opened = new AsyncDisposableStack();
  const client = opened.use(startClient());
  await client.ask("useKeys", keys);
  const still = opened.use(startServer("static"));
  const paths = addresses(items, queries);
  const parts: Figures[] = [];
  for (const { label, environment } of KEPT_PAGES) {
    await using servers = new AsyncDisposableStack();
    const start = (kind: "product" | "unmetered") =>
      servers.use(startServer(kind, { TRIPTYCH_DATA: dataFolder, ...environment }));
    const scene: Scene = { label, client, paths, product: start("product"), unmetered: start("unmetered"), still };
    parts.push(await compareWithStatic(options, scene));
    if (label === "") parts.push(await measureDepth(options, scene));
    parts.push(await measureRates(options, scene));
  }
  return { goals: parts.flatMap((part) => part.goals), tables: parts.flatMap((part) => part.tables) };
}

/** One query of each class after another: neighbours in time are of different classes. */
export function mixedOf(paths: Record<QueryClass, string[]>): string[] {
  return paths.tag.flatMap((_, number) => QUERY_CLASSES.map((name) => paths[name][number]));
}

interface Block {
  readonly took: readonly number[];
  /** Processor milliseconds a request. */
  readonly cpu: number;
}

async function block(client: Client, server: ServerChild, paths: readonly string[]): Promise<Block> {
  const url = await server.ask("url");
  const before = await server.ask("cpu");
  const took = await client.ask("sequence", { url, paths });
  const cpu = ((await server.ask("cpu")).all - before.all) / paths.length;
  return { took: Array.from(took), cpu };
}

async function compareWithStatic({ items, queries, runs, seconds }: HttpOptions, scene: Scene): Promise<Figures> {
  const { label, client, paths, product, still } = scene;
  const productUrl = await product.ask("url");
  // What runs for weeks is measured warm.
  await client.ask("saturate", {
    url: productUrl,
    paths: mixedOf(paths),
    connections: CONNECTIONS,
    seconds: seconds * 2,
  });
  const blocks = new Map<QueryClass, { ours: Block[]; theirs: Block[]; bytes: number }>();
  for (let run = 0; run <= runs; run++) {
    progress(`http: against static, ${run === 0 ? "warming up" : `run ${run} of ${runs}`}`);
    for (const name of QUERY_CLASSES) {
      const bodies = await client.ask("bodies", { url: productUrl, paths: paths[name] });
      await still.ask("serve", bodies);
      const known = blocks.get(name) ?? { ours: [], theirs: [], bytes: median(bodies.map((body) => body.length)) };
      const given = bodies.map((_, number) => `/${number}`);
      // Once unmeasured: receiving the bodies leaves garbage behind, whose collection is not part of an answer.
      await block(client, still, given);
      const theirs = await block(client, still, given);
      const ours = await block(client, product, paths[name]);
      if (run === 0) continue;
      known.theirs.push(theirs);
      known.ours.push(ours);
      blocks.set(name, known);
    }
  }
  const ratios = new Map<QueryClass, { p50: number; cpu: number }>();
  const rows = QUERY_CLASSES.map((name) => {
    const { ours = [], theirs = [], bytes = 0 } = blocks.get(name) ?? {};
    const p50 = (of: readonly Block[]) => median(of.map(({ took }) => median(took)));
    const p99 = (of: readonly Block[]) => median(of.map(({ took }) => quantile(took, 0.99)));
    const cpu = (of: readonly Block[]) => median(of.map((one) => one.cpu));
    ratios.set(name, { p50: p50(ours) / p50(theirs), cpu: cpu(ours) / cpu(theirs) });
    return [
      name,
      `${(bytes / 1000).toFixed(1)} KB`,
      milliseconds(p50(ours)),
      milliseconds(p50(theirs)),
      times(p50(ours) / p50(theirs)),
      milliseconds(p99(ours)),
      milliseconds(cpu(ours)),
      milliseconds(cpu(theirs)),
      times(cpu(ours) / cpu(theirs)),
    ];
  });
  const scale = items.toLocaleString("en-US");
  const goal = (what: string, names: readonly QueryClass[], bar: number): Goal => {
    const worst = (key: "p50" | "cpu") => Math.max(...names.map((name) => ratios.get(name)?.[key] ?? Infinity));
    return {
      goal: `whole HTTP answer / static answer of the same bytes, ${scale}, ${what}${label}`,
      bar: `p50 <= ${bar} x`,
      measured: `at most ${times(worst("p50"))} (CPU ${times(worst("cpu"))})`,
      met: worst("p50") <= bar,
    };
  };
  return {
    goals: [
      goal("every class", QUERY_CLASSES, RATIO_BARS.every),
      goal("filters only", FILTERS_ONLY, RATIO_BARS.filters),
    ],
    tables: [
      {
        title: `Whole HTTP answer at ${scale} items, ${queries} requests x ${runs} runs, one connection${label}`,
        heads: ["class", "body", "ours p50", "static p50", "ratio", "ours p99", "ours CPU", "static CPU", "ratio"],
        rows,
      },
    ],
  };
}

async function measureDepth({ items, runs }: HttpOptions, { client, product }: Scene): Promise<Figures> {
  const depth = Math.min(100_000, items - 20);
  progress(`http: offset ${depth}`);
  const rounds = 60;
  const of = async (offset: number) => {
    const path = `/api/items${offset === 0 ? "" : `?offset=${offset}`}`;
    return block(
      client,
      product,
      Array.from({ length: rounds }, () => path),
    );
  };
  const [near, far]: [number[], number[]] = [[], []];
  for (let run = 0; run < runs * 2; run++) {
    near.push(median((await of(0)).took));
    far.push(median((await of(depth)).took));
  }
  const ratio = median(far) / median(near);
  return {
    goals: [
      {
        goal: `offset ${depth} against offset 0, whole answer`,
        bar: `<= ${DEPTH_BAR} x`,
        measured: `${times(ratio)} (${milliseconds(median(near))}, ${milliseconds(median(far))})`,
        met: ratio <= DEPTH_BAR,
      },
    ],
    tables: [],
  };
}

/** Processor milliseconds a request, of all threads and of the one that serves; requests a second. */
interface Stretch {
  readonly cpu: number;
  readonly serving: number;
  readonly wall: number;
}

async function measureRates(
  options: HttpOptions,
  { label, client, paths, product, unmetered }: Scene,
): Promise<Figures> {
  const mixed = mixedOf(paths);
  const stretch = async (server: ServerChild) => {
    const url = await server.ask("url");
    const before = await server.ask("cpu");
    const { answered, seconds } = await client.ask("saturate", {
      url,
      paths: mixed,
      connections: CONNECTIONS,
      seconds: options.seconds,
    });
    const after = await server.ask("cpu");
    return {
      cpu: (after.all - before.all) / answered,
      serving: (after.serving - before.serving) / answered,
      wall: answered / seconds,
    };
  };
  await stretch(product);
  await stretch(unmetered);
  const [metered, free]: [Stretch[], Stretch[]] = [[], []];
  const rounds = Math.max(3, options.runs * 2);
  for (let round = 0; round < rounds; round++) {
    progress(`http: full load, round ${round + 1} of ${rounds}`);
    metered.push(await stretch(product));
    free.push(await stretch(unmetered));
  }
  const figure = (of: readonly Stretch[], key: keyof Stretch) => median(of.map((one) => one[key]));
  const cpu = (of: readonly Stretch[]) => figure(of, "cpu");
  const wall = (of: readonly Stretch[]) => figure(of, "wall");
  const rate = 1000 / cpu(metered);
  const row = (name: string, of: readonly Stretch[]) => [
    name,
    milliseconds(cpu(of)),
    milliseconds(figure(of, "serving")),
    perSecond(1000 / cpu(of)),
    perSecond(wall(of)),
  ];
  const costOf = (key: "cpu" | "serving") => median(metered.map((one, round) => one[key] / free[round][key])) - 1;
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
  return {
    goals: [
      {
        goal: `requests/s per core, ${options.items.toLocaleString("en-US")}, mixed, with metering${label}`,
        bar: `>= ${perSecond(RATE_BAR)}`,
        measured: `${perSecond(rate)} a second of CPU, all threads counted (${perSecond(wall(metered))} a second of wall time)`,
        met: rate >= RATE_BAR,
      },
      {
        goal: `cost of metering${label}`,
        bar: "< 5 % of a request",
        measured: `${percent(costOf("cpu"))} of CPU with the writer's thread; ${percent(costOf("serving"))} of the serving thread`,
        met: costOf("cpu") < METERING_BAR,
      },
    ],
    tables: [
      {
        title: `Full load, ${CONNECTIONS} connections, mixed classes, ${rounds} stretches of ${options.seconds} s each${label}`,
        heads: ["server", "CPU a request", "of the serving thread", "requests/s of CPU", "requests/s of wall time"],
        rows: [row("with metering", metered), row("without", free)],
      },
    ],
  };
}
