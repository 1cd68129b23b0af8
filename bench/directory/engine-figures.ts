/** Runs the memory engine's own benchmark and parses its output: speed per class, depth, build, size, opening. */
import { progress, milliseconds, perSecond, times, type Figures, type Goal } from "./report.ts";
import { QUERY_CLASSES } from "../../services/directory/bench/engine-queries.ts";
import { runNode } from "./run.ts";

const SCRIPT = "services/directory/bench/engine.ts";
const PREFIX_CLASS = "P prefix";
/** p50 and p99 in milliseconds. */
const BARS = { classes: [3, 15], prefix: [10, 40] } as const;
const DEPTH_BAR = 1.2;
const BYTES_BAR = 650;
const OPEN_BAR_MS = 1000;
const BUILD_BAR = 5000;

interface ClassLine {
  readonly name: string;
  readonly wall50: number;
  readonly wall99: number;
  readonly cpuMean: number;
  readonly cpu99: number;
  readonly total: number;
}

export async function measureEngine(items: number, queries: number): Promise<Figures> {
  progress(`engine: ${items} items`);
  const { output } = await runNode(["--expose-gc", SCRIPT, String(items), String(queries)]);
  const scale = items.toLocaleString("en-US");
  const printed = Array.from(
    output.matchAll(/^(\S.{18,}?)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+(\d+)$/gm),
    ([, name, ...figures]): ClassLine => {
      const [wall50, wall99, cpuMean, cpu99, total] = figures.map(Number);
      return { name: name.trim(), wall50, wall99, cpuMean, cpu99, total };
    },
  );
  // The classes of the contract; the script also prints those of the other filters.
  const classes = QUERY_CLASSES.flatMap((name) => printed.find((line) => line.name === name) ?? []);
  if (classes.length !== QUERY_CLASSES.length)
    throw new Error(`${SCRIPT} printed ${classes.length} of ${QUERY_CLASSES.length} classes:\n${output}`);
  const depths = Array.from(
    output.matchAll(/^depth\s+(.+?)\s+offset 0: ([\d.]+) ms, offset (\d+): ([\d.]+) ms, ratio ([\d.]+)$/gm),
    ([, name, near, offset, far, ratio]) => ({ name, near, offset, far, ratio: Number(ratio) }),
  );
  const built = find(output, /^build\s+([\d,]+) items\/s/m);
  const bytes = find(output, /^index\s+(\d+) bytes/m);
  const open = find(output, /ms, (\d+) ms per million$/m);
  const deepest = Math.max(...depths.map(({ ratio }) => ratio));
  return {
    goals: [
      speedGoal(
        `engine p50 / p99 at ${scale}, 7 classes`,
        BARS.classes,
        classes.filter(({ name }) => name !== PREFIX_CLASS),
      ),
      speedGoal(
        `engine p50 / p99 at ${scale}, P`,
        BARS.prefix,
        classes.filter(({ name }) => name === PREFIX_CLASS),
      ),
      {
        goal: `offset ${depths[0].offset} against offset 0, engine, ${scale}`,
        bar: `<= ${DEPTH_BAR} x`,
        measured: `at most ${times(deepest)} (${depths.map(({ name, ratio }) => `${name} ${ratio}`).join("; ")})`,
        met: deepest <= DEPTH_BAR,
      },
      {
        goal: `index per item; open from snapshot, ${scale}`,
        bar: "<= 0.65 KB; <= 1 s per million",
        measured: `${(bytes / 1000).toFixed(2)} KB; ${(open / 1000).toFixed(2)} s per million`,
        met: bytes <= BYTES_BAR && open <= OPEN_BAR_MS,
      },
      {
        goal: `analysis and index (engine alone), ${scale}`,
        bar: `>= ${perSecond(BUILD_BAR)} items/s of one core`,
        measured: `${perSecond(built)} items/s`,
        met: built >= BUILD_BAR,
      },
    ],
    tables: [
      {
        title: `Memory engine at ${scale} items`,
        heads: ["class", "wall p50", "wall p99", "CPU mean", "CPU p99 (ticks)", "mean total"],
        rows: classes.map(({ name, wall50, wall99, cpuMean, cpu99, total }) => [
          name,
          ...[wall50, wall99, cpuMean, cpu99].map(milliseconds),
          String(total),
        ]),
      },
    ],
  };
}

/**
 * The goal is CPU time, which the kernel counts in ticks too coarse for the median of fast queries. Wall time is an
 * upper bound, so p50 uses wall time and p99 CPU time.
 */
function speedGoal(goal: string, [bar50, bar99]: readonly [number, number], classes: readonly ClassLine[]): Goal {
  const p50 = Math.max(...classes.map(({ wall50 }) => wall50));
  const p99 = Math.max(...classes.map(({ cpu99 }) => cpu99));
  return {
    goal,
    bar: `<= ${bar50} / <= ${bar99} ms of CPU`,
    measured: `slowest class ${milliseconds(p50)} (wall) / ${milliseconds(p99)} (CPU)`,
    met: p50 <= bar50 && p99 <= bar99,
  };
}

function find(output: string, pattern: RegExp): number {
  const found = pattern.exec(output)?.[1];
  if (found === undefined) throw new Error(`${SCRIPT} printed no match for ${pattern.source}:\n${output}`);
  return Number(found.replaceAll(",", ""));
}
