/** From a wish to a worker that holds it, the weight of connections, and how fast a new key is told. */
import { median, ms, progress, quantile, type Figures, type Row } from "../../../packages/decisions/bench/report.ts";
import { ask, openBenchPanel, type BenchPanel } from "./bench-panel.ts";
import { startSwarm, type Swarm } from "./swarm.ts";

export interface DispatchOptions {
  readonly workers: number;
  readonly runs: number;
  readonly rotations: number;
  /** Connections in the weighing. */
  readonly many: number;
}

const now = () => performance.timeOrigin + performance.now();

export async function measureDispatch(options: DispatchOptions): Promise<Figures> {
  const goals = [...(await measureWorkers(options)), await weigh(options.many)];
  return { goals, tables: [] };
}

async function measureWorkers({ workers, runs, rotations }: DispatchOptions): Promise<Row[]> {
  await using panel = await openBenchPanel();
  await using swarm = await connect(panel, workers);
  return [await timeAssign(panel, swarm, { workers, runs }), await timeRotation(panel, swarm, { workers, rotations })];
}

async function connect(panel: BenchPanel, count: number): Promise<Swarm> {
  const swarm = startSwarm();
  progress(`connecting ${count} workers`);
  const connected = swarm.next("connected");
  const [{ licenseKey }] = panel.accounts;
  swarm.order({ kind: "connect", url: panel.url, licenseKey, name: "swarm", count });
  await connected;
  return swarm;
}

const WARM_UP = 100;

async function timeAssign(
  panel: BenchPanel,
  swarm: Swarm,
  { workers, runs }: { workers: number; runs: number },
): Promise<Row> {
  progress(`${runs} runs, one after the other`);
  const [account] = panel.accounts;
  const asker = { url: panel.url, accessToken: account.accessToken };
  const took: number[] = [];
  for (let number = 0; number < WARM_UP + runs; number++) {
    const assigned = swarm.next("assigned");
    const begun = now();
    const { id } = await ask(asker, "POST", `/api/repos/${account.repoIds[0]}/run`, { focus: `Bench ${number}` });
    const { at, runId } = await assigned;
    if (runId !== id) throw new Error(`${runId} was assigned and ${id} was asked for`);
    if (number >= WARM_UP) took.push(at - begun);
    // It ends at once, and nothing of it shall fall into the next one's time.
    while ((await ask(asker, "GET", `/api/runs/${id}`)).phase === "active");
  }
  const [p50, p99] = [median(took), quantile(took, 0.99)];
  return {
    goal: `2: POST run -> worker holds assign, ${workers.toLocaleString("en-US")} workers`,
    bar: "p50 <= 8 ms, p99 <= 25 ms",
    measured: `${ms(p50)}, ${ms(p99)}`,
    met: p50 <= 8 && p99 <= 25,
  };
}

/** Commands that a worker may leave unacknowledged. */
const OUTBOX = 64;

async function timeRotation(
  panel: BenchPanel,
  swarm: Swarm,
  { workers, rotations }: { workers: number; rotations: number },
): Promise<Row> {
  const stalled = workers / 10;
  const [{ accessToken }] = panel.accounts;
  const rotate = () => ask({ url: panel.url, accessToken }, "POST", "/api/account/license?notify_workers=1");
  progress(`${stalled} workers stop acknowledging; filling their outboxes`);
  const stopped = swarm.next("stalled");
  swarm.order({ kind: "stall", count: stalled });
  await stopped;
  for (let number = 0; number < OUTBOX; number++) await rotate();
  const took: number[] = [];
  const counts = new Set<number>();
  for (let number = 0; number < rotations; number++) {
    const heard = swarm.collect("rotated");
    const begun = now();
    const { notified_workers_count: count } = await rotate();
    took.push(now() - begun);
    counts.add(count);
    while (heard.words.length < count) await swarm.next("rotated");
    heard.stop();
  }
  const slowest = Math.max(...took);
  return {
    goal: `12: token_rotated, ${workers.toLocaleString("en-US")} workers, 10 % stalled`,
    bar: `<= 50 ms, count exactly ${workers - stalled}`,
    measured: `p50 ${ms(median(took))}, slowest ${ms(slowest)}, counts ${[...counts].join(", ")}`,
    met: slowest <= 50 && counts.size === 1 && counts.has(workers - stalled),
  };
}

async function weigh(count: number): Promise<Row> {
  await using panel = await openBenchPanel();
  const empty = await panel.residentBytes();
  await using swarm = await connect(panel, count);
  const held = await panel.residentBytes();
  swarm.order({ kind: "holding" });
  const mb = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;
  return {
    goal: "3: connected workers, one process",
    bar: "10,000, RSS <= 400 MB",
    measured: `${count.toLocaleString("en-US")}, ${mb(held)} (${mb(empty)} before)`,
    met: count >= 10_000 && held <= 400e6,
  };
}
