/** Recovery times after a worker or panel crash. */
import { ms, progress, type Figures, type Row } from "../../../packages/decisions/bench/report.ts";
import { ask, openBenchPanel, type BenchPanel, type BenchLocation } from "./bench-panel.ts";
import { startSwarm, type Swarm } from "./swarm.ts";

const now = () => performance.timeOrigin + performance.now();

export async function measureLives(location: BenchLocation): Promise<Figures> {
  const quick = await timeDeath(location, { leaseS: 2, bar: 3_000 });
  const usual = await timeDeath(location, { leaseS: 45, bar: 50_000 });
  return { goals: [quick, usual, await restart(location)], tables: [] };
}

/** Time from the crash of the holder to the next assignment. */
async function timeDeath(location: BenchLocation, { leaseS, bar }: { leaseS: number; bar: number }): Promise<Row> {
  progress(`worker crash, lease ${leaseS} s`);
  await using panel = await openBenchPanel({ ...location, leaseS });
  await using first = await connect(panel, { name: "first", count: 1, account: 0 });
  const [account] = panel.accounts;
  const assigned = first.next("assigned");
  await ask({ url: panel.url, accessToken: account.accessToken }, "POST", `/api/repos/${account.repoIds[0]}/run`, {});
  await assigned;
  await using second = await connect(panel, { name: "second", count: 1, account: 0 });
  const again = second.next("assigned");
  const died = now();
  await first.kill();
  const { at, epoch } = await again;
  return {
    goal: `5: worker death -> run running elsewhere, lease ${leaseS} s`,
    bar: `<= ${bar / 1000} s`,
    measured: `${ms(at - died)}, epoch ${epoch}`,
    met: at - died <= bar && epoch === 2,
  };
}

const RUNS = 100;
const OF_EACH = 25;

/** Kills and restarts the panel while workers hold a hundred runs. */
async function restart(location: BenchLocation): Promise<Row> {
  progress(`panel crash with ${RUNS} runs`);
  const accounts = RUNS / OF_EACH;
  await using panel = await openBenchPanel({ ...location, accounts, reposOfEach: OF_EACH, leaseS: 10 });
  await using opened = new AsyncDisposableStack();
  const swarms: Swarm[] = [];
  for (let account = 0; account < accounts; account++)
    swarms.push(opened.use(await connect(panel, { name: `of-${account}`, count: OF_EACH, account })));
  const assigned = swarms.map((swarm) => swarm.collect("assigned"));
  for (const { accessToken, repoIds } of panel.accounts)
    for (const id of repoIds) await ask({ url: panel.url, accessToken }, "POST", `/api/repos/${id}/run`, {});
  while (assigned.reduce((sum, { messages }) => sum + messages.length, 0) < RUNS)
    await Promise.race(swarms.map((swarm) => swarm.next("assigned")));
  const died = now();
  await panel.program.strike();
  await panel.untilReady();
  const answeredMs = now() - died;
  // Longer than any lease: a worker that has not reconnected by then has lost its run.
  await new Promise((resolve) => setTimeout(resolve, 60_000));
  let [requeued, stillRunning] = [0, 0];
  for (const { accessToken } of panel.accounts) {
    const { items } = await ask({ url: panel.url, accessToken }, "GET", "/api/runs?limit=200");
    for (const { epoch, state } of items) {
      if (epoch !== 1) requeued++;
      if (state === "preparing") stillRunning++;
    }
  }
  const restarts = assigned.reduce((sum, { messages }) => sum + messages.length, 0) - RUNS;
  return {
    goal: `16: panel restart, ${RUNS} runs in flight`,
    bar: "0 requeued, 0 agent restarts",
    measured: `${requeued} requeued, ${restarts} reassigned, ${stillRunning} still leased after 60 s; ready after ${ms(answeredMs)}`,
    met: requeued === 0 && restarts === 0 && stillRunning === RUNS,
  };
}

interface Joining {
  readonly name: string;
  readonly count: number;
  readonly account: number;
}

/** Connects workers that never finish their runs. */
async function connect(panel: BenchPanel, { name, count, account }: Joining): Promise<Swarm> {
  const swarm = startSwarm();
  swarm.send({ kind: "keep", keeps: true });
  const connected = swarm.next("connected");
  swarm.send({ kind: "connect", url: panel.url, licenseKey: panel.accounts[account].licenseKey, name, count });
  await connected;
  return swarm;
}
