/** Runs the benchmarks of the rate limiter and the meter. */
import { progress, type Figures } from "./report.ts";
import { runNode } from "./run.ts";

const LIMIT = 120;
const CHECKS_BAR = 1;
const BYTES_BAR = 1200;

export async function measureLimiter(): Promise<Figures> {
  progress("limiter");
  const { output } = await runNode(["--expose-gc", "packages/rate-limit/bench/limiter.ts"]);
  const rows = Array.from(
    output.matchAll(/^(.+?)\s+([\d.]+) M checks\/s, ours is ([\d.]+) x, worst 60 s (\d+), (\d+) bytes a key$/gm),
    ([, ...cells]) => cells,
  );
  const [ours] = rows;
  if (ours === undefined) throw new Error(`unexpected output of the limiter's benchmark:\n${output}`);
  const [, speed, , worst, bytes] = ours.map(Number);
  const { output: cost } = await runNode(["packages/usage-metering/bench/meter.ts"]);
  return {
    goals: [
      {
        goal: "limiter",
        bar: "worst 60 s exactly 120; >= 1 M checks/s; <= 1.2 KB per key",
        measured: `worst 60 s ${worst}; ${speed} M checks/s; ${(bytes / 1000).toFixed(2)} KB per key`,
        met: worst === LIMIT && speed >= CHECKS_BAR && bytes <= BYTES_BAR,
      },
    ],
    tables: [
      {
        title: "Limiter, same arrivals",
        heads: ["window", "M checks/s", "ours is", "worst 60 s", "bytes per key"],
        rows: rows.map(([name, checks, ratio, most, size]) => [name, checks, `${ratio} x`, most, size]),
      },
    ],
    notes: [`Metering alone: ${cost.trim()}`],
  };
}
