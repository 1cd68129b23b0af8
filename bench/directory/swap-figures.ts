/**
 * Replaces a version under load: the CLI imports the same items with another mark and then rolls back, beside the
 * running service. Requests arrive at a fixed rate and are timed from their due time. All items of a page must have the
 * mark of its version.
 */
import { setTimeout as wait } from "node:timers/promises";
import type { Paced } from "../../services/directory/bench/http-load.ts";
import { addresses, mixedOf, startClient } from "./http-fixture.ts";
import { importVersion, runCommand } from "./import-figures.ts";
import { milliseconds, progress, times, type Figures } from "./report.ts";
import { startService } from "./service-process.ts";
import { quantile } from "@triptych/util";

export interface SwapOptions {
  /** Import file and mapping of the first version. */
  readonly folder: string;
  readonly dataFolder: string;
  readonly items: number;
  readonly queries: number;
  readonly keys: readonly string[];
  readonly rollbacks: number;
}

const BAR = 2;
const CALM_MS = 8000;
const PER_SECOND = 200;
/** Operators run imports at lower priority than the service. */
const NICENESS = 10;
/** After the swap: the first requests on cold memory, and the cleanup. */
const AFTER_MS = 1000;
/** Commands run one after another: a starting Node process disturbs a service more than a swap. */
const SETTLED_MS = AFTER_MS * 1.5;

interface Swap {
  readonly from: number;
  readonly to: number;
}

export async function measureSwap(options: SwapOptions): Promise<Figures> {
  const { dataFolder, items } = options;
  await using client = startClient();
  await client.ask("useKeys", options.keys);
  const swaps: Swap[] = [];
  await using service = await startService({
    dataFolder,
    by: "start.mjs",
    onLog(line) {
      if (line["what"] !== "serving") return;
      const at = Date.parse(String(line["time"]));
      swaps.push({ from: at - Number(line["tookMs"]), to: at + AFTER_MS });
    },
  });
  const [opening] = await versionsOf(dataFolder);
  swaps.length = 0;
  const all = addresses(items, options.queries);
  // Counts pages with items; an empty page has no mark and proves nothing.
  const paths = mixedOf(all);
  await client.ask("startPace", { url: service.url, paths, connections: 32, perSecond: PER_SECOND });
  progress(`swap: ${CALM_MS / 1000} s of calm`);
  await wait(CALM_MS / 4);
  const calmFrom = Date.now();
  await wait(CALM_MS);
  const calm = { from: calmFrom, to: Date.now() };

  progress("swap: import of another version");
  await importVersion({ ...options, version: "second", niceness: NICENESS });
  await untilSwaps(swaps, 1);
  await wait(SETTLED_MS);
  let back = opening;
  for (let number = 0; number < options.rollbacks; number++) {
    progress(`swap: rollback ${number + 1} of ${options.rollbacks}`);
    const [current] = await versionsOf(dataFolder);
    await runCommand(dataFolder, ["rollback", back, "--yes"], NICENESS);
    back = current;
    await untilSwaps(swaps, number + 2);
    await wait(SETTLED_MS);
  }
  const answers = await client.ask("endPace");
  return figuresOf(options, { answers, swaps, calm });
}

async function untilSwaps(swaps: readonly Swap[], count: number): Promise<void> {
  for (const until = Date.now() + 60_000; Date.now() < until; await wait(50)) if (swaps.length >= count) return;
  throw new Error("the service did not serve the new version within a minute");
}

/** IDs of the stored versions, newest first. */
async function versionsOf(dataFolder: string): Promise<string[]> {
  const { output } = await runCommand(dataFolder, ["versions"]);
  return output.match(/\b\d+-[0-9a-f]{12}\b/g) ?? [];
}

interface Found {
  readonly answers: readonly Paced[];
  readonly swaps: readonly Swap[];
  readonly calm: Swap;
}

function figuresOf({ items }: SwapOptions, { answers, swaps, calm }: Found): Figures {
  const within = ({ from, to }: Swap) => answers.filter(({ at }) => at >= from && at <= to);
  const before = within(calm).map(({ took }) => took);
  const during = swaps.flatMap(within).map(({ took }) => took);
  const beside = answers
    .filter(({ at }) => at > calm.to && !swaps.some(({ from, to }) => at >= from && at <= to))
    .map(({ took }) => took);
  const failed = answers.filter((answer) => answer.failed).length;
  const marksOf = new Map<string, Set<string>>();
  for (const { version, marks } of answers) marksOf.set(version, new Set([...(marksOf.get(version) ?? []), ...marks]));
  const isMixed = ({ marks, version }: Paced) => marks.length > 1 || (marksOf.get(version)?.size ?? 0) > 1;
  const mixed = answers.filter((answer) => !answer.failed && isMixed(answer)).length;
  const seen = answers.filter(({ marks }) => marks.length > 0).length;
  const ratio = quantile(during, 0.99) / quantile(before, 0.99);
  const row = (name: string, took: readonly number[]) => [
    name,
    String(took.length),
    ...[0.5, 0.99, 1].map((share) => milliseconds(quantile(took, share))),
  ];
  return {
    goals: [
      {
        goal: `swap of a version under ${PER_SECOND} requests/s, ${items.toLocaleString("en-US")} items, ${swaps.length} swaps`,
        bar: "p99 during it <= 2 x; 0 failed; 0 pages mixing versions",
        measured: `p99 ${times(ratio)}; ${failed} failed, ${mixed} mixed of ${answers.length} pages (${seen} with marks, ${marksOf.size} versions)`,
        met: ratio <= BAR && failed === 0 && mixed === 0 && seen > 0,
      },
    ],
    tables: [
      {
        title: `Requests around ${swaps.length} swaps (times from the due time)`,
        heads: ["when", "requests", "p50", "p99", "slowest"],
        rows: [
          row("calm, before", before),
          row("while the CLI prepares a version", beside),
          row("swap: from opening the snapshot to one second later", during),
        ],
      },
    ],
  };
}
