/** Time from request to assignment, memory per connection, and speed of a key rotation. */
import { median, quantile } from "@triptych/util";
import { ms, progress, type Figures } from "../../../packages/decisions/bench/report.ts";
import { pass } from "../chaos/panel-client.ts";
import { ask, openBenchPanel, type BenchPanel, type BenchLocation } from "./bench-panel.ts";
import { startSwarm, type Swarm } from "./swarm.ts";

const now = () => performance.timeOrigin + performance.now();

export interface DispatchOptions extends BenchLocation {
  readonly workers: number;
  readonly runs: number;
}

async function connect(panel: BenchPanel, count: number): Promise<Swarm> {
  const swarm = startSwarm();
  progress(`connecting ${count} workers`);
  const connected = swarm.next("connected");
  const [{ licenseKey }] = panel.accounts;
  swarm.send({ kind: "connect", url: panel.url, licenseKey, name: "swarm", count });
  await connected;
  return swarm;
}

const WARM_UP = 100;
const POLL_INTERVAL_MS = 2;

export async function measureDispatch({ workers, runs, ...location }: DispatchOptions): Promise<Figures> {
  await using panel = await openBenchPanel(location);
  await using swarm = await connect(panel, workers);
  progress(`${runs} runs, one after the other`);
  const [account] = panel.accounts;
  const client = { url: panel.url, accessToken: account.accessToken };
  const took: number[] = [];
  let spentBefore = 0;
  for (let number = 0; number < WARM_UP + runs; number++) {
    if (number === WARM_UP) spentBefore = await panel.processorMs();
    const assigned = swarm.next("assigned");
    const startedAt = now();
    const { id } = await ask(client, "POST", `/api/repos/${account.repoIds[0]}/run`, { focus: `Bench ${number}` });
    const { at, runId } = await assigned;
    if (runId !== id) throw new Error(`${runId} was assigned instead of ${id}`);
    if (number >= WARM_UP) took.push(at - startedAt);
    // Wait for its end, so that it does not affect the next run.
    while ((await ask(client, "GET", `/api/runs/${id}`)).phase === "active") await pass(POLL_INTERVAL_MS);
  }
  const [p50, p99] = [median(took), quantile(took, 0.99)];
  const spent = ((await panel.processorMs()) - spentBefore) / runs;
  const goal = {
    goal: `2: POST run -> assign received, ${workers.toLocaleString("en-US")} workers`,
    bar: "p50 <= 8 ms, p99 <= 25 ms",
    measured: `p50 ${ms(p50)}, p99 ${ms(p99)}; ${ms(spent)} of CPU per run, including its end`,
    met: p50 <= 8 && p99 <= 25,
  };
  return { goals: [goal], tables: [] };
}

/** Unacknowledged commands per worker. */
const OUTBOX = 64;

export interface RotationOptions extends BenchLocation {
  readonly workers: number;
  readonly rotations: number;
}

export async function measureRotation({ workers, rotations, ...location }: RotationOptions): Promise<Figures> {
  await using panel = await openBenchPanel(location);
  await using swarm = await connect(panel, workers);
  const stalled = workers / 10;
  const [{ accessToken }] = panel.accounts;
  const rotate = () => ask({ url: panel.url, accessToken }, "POST", "/api/account/license?notify_workers=1");
  progress(`${stalled} workers stop acknowledging; filling their outboxes`);
  const stopped = swarm.next("stalled");
  swarm.send({ kind: "stall", count: stalled });
  await stopped;
  for (let number = 0; number < OUTBOX; number++) await rotate();
  const took: number[] = [];
  const deliveredMs: number[] = [];
  const counts = new Set<number>();
  for (let number = 0; number < rotations; number++) {
    const rotated = swarm.collect("rotated");
    const startedAt = now();
    const { notified_workers_count: count } = await rotate();
    took.push(now() - startedAt);
    counts.add(count);
    while (rotated.messages.reduce((sum, message) => sum + message.count, 0) < count) await swarm.next("rotated");
    deliveredMs.push((rotated.messages.at(-1)?.at ?? 0) - startedAt);
    rotated.stop();
  }
  const [slowest, slowestDelivery] = [Math.max(...took), Math.max(...deliveredMs)];
  const goal = {
    goal: `12: token_rotated, ${workers.toLocaleString("en-US")} workers, 10 % stalled`,
    bar: `<= 50 ms, count exactly ${workers - stalled}`,
    measured: `p50 ${ms(median(took))}, slowest ${ms(slowest)}, received by the last worker after at most ${ms(slowestDelivery)}, counts ${[...counts].join(", ")}`,
    met: slowest <= 50 && counts.size === 1 && counts.has(workers - stalled),
  };
  return { goals: [goal], tables: [] };
}

export interface WeightOptions extends BenchLocation {
  readonly many: number;
}

export async function measureWeight({ many, ...location }: WeightOptions): Promise<Figures> {
  await using panel = await openBenchPanel(location);
  const empty = await panel.residentBytes();
  await using _swarm = await connect(panel, many);
  // After the first heartbeats and probes of all workers.
  await pass(SETTLED_MS);
  const loaded = await panel.residentBytes();
  const mb = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;
  const goal = {
    goal: "3: connected workers, one process",
    bar: "10,000, RSS <= 400 MB",
    measured: `${many.toLocaleString("en-US")}, ${mb(loaded)} (${mb(empty)} before)`,
    met: many >= 10_000 && loaded <= 400e6,
  };
  return { goals: [goal], tables: [] };
}

const SETTLED_MS = 15_000;
