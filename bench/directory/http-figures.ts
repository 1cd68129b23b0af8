/**
 * Compares responses of the real service with a bare Fastify that sends the same bytes, per class, and measures deep
 * pages. Servers and client are separate processes; requests alternate between servers, so that other load affects all
 * of them.
 */
import { QUERY_CLASSES, type QueryClass } from "../../services/directory/bench/engine-queries.ts";
import { canPin } from "../../services/directory/bench/http-process.ts";
import {
  addresses,
  CLIENTS_PROCESSOR,
  CONNECTIONS,
  mixedOf,
  startClient,
  startServer,
  type Client,
  type HttpOptions,
  type Fixture,
  type ServerChild,
} from "./http-fixture.ts";
import { measureRates } from "./rate-figures.ts";
import { milliseconds, progress, times, type Figures, type Goal } from "./report.ts";
import { median, quantile } from "@triptych/util";

const PINNED = canPin ? ", client and servers on one CPU each" : "";
const FILTERS_ONLY: readonly QueryClass[] = ["type+département", "tag", "région, deep"];
const RATIO_BARS = { filters: 3, every: 5, cached: 2 };
const DEPTH_BAR = 1.2;
/** Without the page cache every request is a miss; with it, repeated requests are all hits. */
const CACHE_VARIANTS = [
  { label: "", environment: { DIRECTORY_PAGE_CACHE_BYTES: "0" } },
  { label: ", pages kept", environment: {} },
] as const;

export async function measureHttp(options: HttpOptions): Promise<Figures> {
  const { dataFolder, items, queries, keys } = options;
  await using opened = new AsyncDisposableStack();
  const client = opened.use(startClient({ processor: CLIENTS_PROCESSOR }));
  await client.ask("useKeys", keys);
  const still = opened.use(startServer("static"));
  const paths = addresses(items, queries);
  const parts: Figures[] = [];
  for (const { label, environment } of CACHE_VARIANTS) {
    const start = (kind: "product" | "doors") => startServer(kind, { TRIPTYCH_DATA: dataFolder, ...environment });
    {
      await using product = start("product");
      const fixture: Fixture = { label, client, paths, product, still };
      parts.push(await compareWithStatic(options, fixture));
      if (label === "") parts.push(await measureDepth(options, fixture));
    }
    parts.push(await measureRates(options, { label, client, paths, startRateServer: () => start("doors") }));
  }
  return { goals: parts.flatMap((part) => part.goals), tables: parts.flatMap((part) => part.tables) };
}

interface Block {
  readonly took: readonly number[];
  /** CPU milliseconds per request. */
  readonly cpu: number;
}

interface Subject {
  readonly server: ServerChild;
  readonly paths: readonly string[];
}

/** One request to each in turn, which the contract calls interleaved. */
async function alternate(client: Client, subjects: readonly Subject[]): Promise<Block[]> {
  const targets = await Promise.all(
    subjects.map(async ({ server, paths }) => ({ url: await server.ask("url"), paths })),
  );
  const cpu = () => Promise.all(subjects.map(({ server }) => server.ask("cpu")));
  const before = await cpu();
  const took = await client.ask("alternate", targets);
  const after = await cpu();
  return subjects.map(({ paths }, which) => ({
    took: Array.from(took[which]),
    cpu: (after[which].all - before[which].all) / paths.length,
  }));
}

async function compareWithStatic({ items, queries, runs, seconds }: HttpOptions, fixture: Fixture): Promise<Figures> {
  const { label, client, paths, product, still } = fixture;
  const productUrl = await product.ask("url");
  // Warm-up, because the service runs for weeks.
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
      const entry = blocks.get(name) ?? { ours: [], theirs: [], bytes: median(bodies.map((body) => body.length)) };
      const staticPaths = bodies.map((_, number) => `/${number}`);
      const pair = [
        { server: product, paths: paths[name] },
        { server: still, paths: staticPaths },
      ];
      // An unmeasured pass: received bodies leave garbage, whose collection is not part of a response.
      await alternate(client, pair);
      const [ours, theirs] = await alternate(client, pair);
      if (run === 0) continue;
      entry.theirs.push(theirs);
      entry.ours.push(ours);
      blocks.set(name, entry);
    }
  }
  const ratios = new Map<QueryClass, { p50: number; cpu: number }>();
  const rows = QUERY_CLASSES.map((name) => {
    const { ours = [], theirs = [], bytes = 0 } = blocks.get(name) ?? {};
    const p50 = (of: readonly Block[]) => median(of.map(({ took }) => median(took)));
    const p99 = (of: readonly Block[]) => median(of.map(({ took }) => quantile(took, 0.99)));
    const cpu = (of: readonly Block[]) => median(of.map((block) => block.cpu));
    const ratio = median(ours.map(({ took }, run) => median(took) / median(theirs[run].took)));
    ratios.set(name, { p50: ratio, cpu: cpu(ours) / cpu(theirs) });
    return [
      name,
      `${(bytes / 1000).toFixed(1)} KB`,
      milliseconds(p50(ours)),
      milliseconds(p50(theirs)),
      times(ratio),
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
      goal: `full HTTP response / static response of the same bytes, ${scale}, ${what}${label}`,
      bar: `p50 <= ${bar} x`,
      measured: `at most ${times(worst("p50"))} (CPU ${times(worst("cpu"))})`,
      met: worst("p50") <= bar,
    };
  };
  return {
    goals:
      label === ""
        ? [goal("every class", QUERY_CLASSES, RATIO_BARS.every), goal("filters only", FILTERS_ONLY, RATIO_BARS.filters)]
        : [goal("every class", QUERY_CLASSES, RATIO_BARS.cached)],
    tables: [
      {
        title: `Whole HTTP answer at ${scale} items, ${queries} requests x ${runs} runs, one connection${PINNED}${label}`,
        heads: ["class", "body", "ours p50", "static p50", "ratio", "ours p99", "ours CPU", "static CPU", "ratio"],
        rows,
      },
    ],
  };
}

async function measureDepth({ items, runs }: HttpOptions, { client, product }: Fixture): Promise<Figures> {
  const depth = Math.min(100_000, items - 20);
  progress(`http: offset ${depth}`);
  const of = (offset: number) => ({
    server: product,
    paths: Array.from({ length: 60 }, () => `/api/items${offset === 0 ? "" : `?offset=${offset}`}`),
  });
  const [near, far]: [number[], number[]] = [[], []];
  for (let run = 0; run < runs * 2; run++) {
    const [first, deep] = await alternate(client, [of(0), of(depth)]);
    near.push(median(first.took));
    far.push(median(deep.took));
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
