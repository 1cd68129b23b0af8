/** Reads of the API under load. */
import { Agent, get } from "node:http";
import { median, ms, progress, quantile, type Figures, type Row } from "../../../packages/decisions/bench/report.ts";
import { ask, openBenchPanel, type BenchPlace } from "./bench-panel.ts";

const CALLERS = 64;
const RUNS = 200;
const WARM_UP_MS = 1000;

export interface ReadsOptions extends BenchPlace {
  readonly milliseconds: number;
}

export async function measureReads({ milliseconds, ...place }: ReadsOptions): Promise<Figures> {
  await using panel = await openBenchPanel(place);
  const [account] = panel.accounts;
  const { accessToken } = account;
  progress(`${RUNS} runs to read`);
  let id = "";
  for (let number = 0; number < RUNS; number++) {
    const body = { focus: `Read ${number}` };
    ({ id } = await ask({ url: panel.url, accessToken }, "POST", `/api/repos/${account.repoIds[0]}/run`, body));
  }
  const goals: Row[] = [];
  for (const [what, path] of [
    ["a run", `/api/runs/${id}`],
    ["a list of 50", "/api/runs?limit=50"],
  ] as const) {
    progress(`${what} at ${CALLERS} callers`);
    const [spentBefore, begun] = [await panel.processorMs(), performance.now()];
    const took = await load({ url: panel.url + path, accessToken, milliseconds });
    const [p50, p99] = [median(took), quantile(took, 0.99)];
    // The warm-up's share of the time is its share of the processor.
    const share = milliseconds / (performance.now() - begun);
    const spent = (share * ((await panel.processorMs()) - spentBefore)) / took.length;
    const rate = Math.round(took.length / (milliseconds / 1000)).toLocaleString("en-US");
    goals.push({
      goal: `20: API reads, ${what}, ${CALLERS} callers`,
      bar: "p99 <= 25 ms",
      measured: `p50 ${ms(p50)}, p99 ${ms(p99)}, ${rate}/s, ${ms(spent)} of processor each`,
      met: p99 <= 25,
    });
  }
  return { goals, tables: [] };
}

interface Load {
  readonly url: string;
  readonly accessToken: string;
  readonly milliseconds: number;
}

async function load({ url, accessToken, milliseconds }: Load): Promise<readonly number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: CALLERS });
  const headers = { authorization: `Bearer ${accessToken}` };
  const took: number[] = [];
  const begun = performance.now() + WARM_UP_MS;
  const end = begun + milliseconds;
  const call = async () => {
    while (performance.now() < end) {
      const asked = performance.now();
      const status = await fetchOnce(url, { agent, headers });
      if (status !== 200) throw new Error(`${url} was answered with ${status}`);
      if (asked >= begun) took.push(performance.now() - asked);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, call));
  agent.destroy();
  return took;
}

function fetchOnce(url: string, options: Parameters<typeof get>[1]): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(url, options, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode));
    }).on("error", reject);
  });
}
