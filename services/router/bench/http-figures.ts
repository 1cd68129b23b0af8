/**
 * Measures the router over HTTP on loopback at increasing rates: latency, achieved rate, and CPU time of the router.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { median, quantile } from "@triptych/util";
import { ms, progress, type Figures } from "../../../packages/decisions/bench/report.ts";
import type { Load, LoadResult } from "./load-process.ts";
import { startRouter } from "./start-router.ts";

const RATES = [100, 300, 1_000, 2_000] as const;
const JUDGED = 1_000;
const P50_BAR_MS = 1;
const P99_BAR_MS = 5;
/** Share of the target rate that must be achieved; otherwise the latency is meaningless. */
const REACHED = 0.98;

export interface HttpPlan {
  readonly folder: string;
  readonly rounds: number;
  /** Per rate and round. */
  readonly seconds: number;
}

export async function measureHttp({ folder, rounds, seconds }: HttpPlan): Promise<Figures> {
  await using router = await startRouter(folder);
  await using load = startLoad();
  const { url } = router;
  await load.run({ url, perSecond: 300, seconds: 3, seed: 1_000 });
  const found = new Map(RATES.map((rate) => [rate, [] as Measured[]]));
  for (let round = 1; round <= rounds; round++)
    for (const [index, rate] of RATES.entries()) {
      const before = await router.cpuMs();
      const seed = 1 + round * RATES.length + index;
      const { latencies, late, failed, wallMs } = await load.run({ url, perSecond: rate, seconds, seed });
      if (failed > 0) throw new Error(`${failed} of ${rate * seconds} requests failed at ${rate} a second`);
      const cpu = (await router.cpuMs()) - before;
      const measured = {
        p50: median(latencies),
        p99: quantile(latencies, 0.99),
        late: quantile(late, 0.99),
        rate: (1000 * latencies.length) / wallMs,
        cores: cpu / wallMs,
        cpuMs: cpu / latencies.length,
      };
      found.get(rate)?.push(measured);
      progress(`http, ${rate}/s, round ${round}: p50 ${ms(measured.p50)}, p99 ${ms(measured.p99)}`);
    }
  const medians = [...found].map(([rate, runs]) => {
    const of = (figure: (run: Measured) => number) => median(runs.map(figure));
    const figures = { p50: of(({ p50 }) => p50), p99: of(({ p99 }) => p99), rate: of(({ rate }) => rate) };
    return {
      target: rate,
      ...figures,
      late: of(({ late }) => late),
      cores: of(({ cores }) => cores),
      cpuMs: of(({ cpuMs }) => cpuMs),
    };
  });
  return {
    goals: medians
      .filter(({ target }) => target === JUDGED)
      .map(({ target, p50, p99, rate }) => ({
        goal: `router HTTP, ${target} requests/s`,
        bar: "p50 1 ms, p99 5 ms",
        measured: `p50 ${ms(p50)}, p99 ${ms(p99)}, ${Math.round(rate)}/s reached`,
        met: p50 <= P50_BAR_MS && p99 <= P99_BAR_MS && rate >= REACHED * target,
      })),
    tables: [
      {
        title: `Router over HTTP, distinct texts of 60 characters, ${seconds} s x ${rounds} runs`,
        heads: ["asked", "reached", "p50", "p99", "send delay, p99", "CPU of the router", "CPU per request"],
        rows: medians.map(({ target, rate, p50, p99, late, cores, cpuMs }) => [
          `${target}/s`,
          `${Math.round(rate)}/s`,
          ms(p50),
          ms(p99),
          ms(late),
          `${(100 * cores).toFixed(0)} % of a core`,
          ms(cpuMs),
        ]),
      },
    ],
  };
}

interface Measured {
  readonly p50: number;
  readonly p99: number;
  /** Delay of the load generator itself, 99th percentile. */
  readonly late: number;
  readonly rate: number;
  readonly cores: number;
  readonly cpuMs: number;
}

function startLoad() {
  const child = fork(new URL("./load-process.ts", import.meta.url));
  const ended = once(child, "exit");
  return {
    async run(load: Load): Promise<LoadResult> {
      const message = once(child, "message");
      child.send(load);
      const [loaded]: unknown[] = await message;
      // The child process sends no other messages.
      return loaded as LoadResult;
    },
    async [Symbol.asyncDispose]() {
      child.disconnect();
      await ended;
    },
  };
}
