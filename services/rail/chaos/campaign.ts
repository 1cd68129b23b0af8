/**
 * Rounds of `kill -9` under load. While callers work, processes are killed at a random time and replaced. Then the
 * callers come to rest, and the ledger is judged against their records. The seed determines all random choices, but not
 * the exact time of a kill.
 */
import { once } from "node:events";
import { createChance, type Chance } from "../simulation/random.ts";
import { createCallers, type Callers } from "./callers.ts";
import { judgeCaps } from "./judge-caps.ts";
import { createJudge, type Judge } from "./judge.ts";
import { createPlanted, type Planted } from "./planted.ts";
import type { Post } from "./post.ts";
import type { Kill, Try, Violation } from "./records.ts";
import { audit, balances, chargesSince, spending, tablesThatHold } from "./settled-ledger.ts";
import { openStage, type Plan, type Stage } from "./stage.ts";
import { createTally, type Tally } from "./tally.ts";

export interface CampaignOptions extends Plan {
  readonly seed: number;
  readonly kills: number;
  /** Number of calls in flight. */
  readonly callers: number;
  /** An audit reads everything, so long campaigns run one only after every N rounds; 1 means after every round. */
  readonly auditEvery?: number;
  readonly onRound?: (tally: Tally) => void;
}

export interface Outcome {
  readonly tally: Tally;
  readonly violations: readonly Violation[];
}

/** Maximum time that callers work before the next kill. */
const WORK_MS = 120;
/** Maximum time between the kills of one round. */
const APART_MS = 15;
const RESTS_WITHIN_MS = 60_000;
/** Longer than a process takes to start on a busy machine. */
const ANSWERS_WITHIN_MS = 120_000;

/** Stops after a round with violations; later rounds would only repeat them. */
export async function runCampaign(options: CampaignOptions): Promise<Outcome> {
  const { seed, kills, auditEvery = 1 } = options;
  const chance = createChance(seed);
  // A separate source of random numbers: the order in which callers draw depends on the machine, and would change the
  // victims.
  const fate = createChance(seed);
  const planted = createPlanted();
  const email = `planted.person.${seed}@planted-domain.example`;
  const keyPrefix = `planted-key-${seed}-`;
  await using stage = await openStage({ ...options, chance, email, onOutput: planted.scan });
  planted.plant(email, email.split("@")[0] ?? "", keyPrefix, stage.serviceToken, stage.store.secret);
  planted.plant(...stage.wallets.map(({ token }) => token));

  let tries: Try[] = [];
  await using callers = createCallers({
    ...stage,
    chance,
    keyPrefix,
    count: options.callers,
    onTry: (attempt) => void tries.push(attempt),
  });
  const tally = createTally();
  const judge = createJudge(() => stage.keys);
  const violations: Violation[] = [];
  let last = "";

  while (tally.kills < kills && violations.length === 0) {
    const done = await killUnderLoad({ stage, callers, chance: fate, most: kills - tally.kills, tally });
    const charges = await chargesSince(stage.store, last);
    last = charges.at(-1)?.id ?? last;
    const gateways = new Map([...stage.records].map(([name, record]) => [name, record.read()]));
    const verdict = await judge.judge({ kills: done, tries, charges, gateways });
    violations.push(...verdict.violations);
    violations.push(...(await judgedCaps(stage)));
    if (++tally.rounds % auditEvery === 0) violations.push(...(await audited(stage, { receipts: false })));
    tally.add({ kills: done, tries, charges, free: verdict.free });
    tries = [];
    options.onRound?.(tally);
  }
  violations.push(...(await audited(stage, { receipts: true })), ...(await judgeMoney(stage, judge)));
  violations.push(...(await judgeSecrets(stage, planted)));
  return { tally, violations };
}

interface RoundOptions {
  readonly stage: Stage;
  readonly callers: Callers;
  readonly chance: Chance;
  /** Maximum number of kills. */
  readonly most: number;
  readonly tally: Tally;
}

async function killUnderLoad({ stage, callers, chance, most, tally }: RoundOptions): Promise<Kill[]> {
  const victims = drawVictims(stage, chance).slice(0, most);
  await Promise.all(victims.map((post) => post.prepare()));
  callers.begin();
  await answered();
  await pass(WORK_MS * chance.next());
  const kills: Kill[] = [];
  const restarts: Promise<void>[] = [];
  for (const post of victims) {
    await pass(APART_MS * chance.next());
    const killedAt = performance.now();
    const inFlight = callers.inFlight(post.name);
    await post.kill();
    kills.push({ victim: post.name, kind: post.kind, inFlight });
    restarts.push(restart(post, killedAt));
  }
  await Promise.all(restarts);
  await callers.rest();
  await Promise.all(stage.gateways.map((gateway) => untilItRests(stage, gateway)));
  return kills;

  async function restart(post: Post, killedAt: number): Promise<void> {
    await post.restart();
    const answeredAt = await answered();
    if (post.kind !== "gateway") tally.restarted(post.kind, answeredAt - killedAt);
  }

  async function answered(): Promise<number> {
    const late = AbortSignal.timeout(ANSWERS_WITHIN_MS);
    const timedOut = once(late, "abort").then(async () => {
      const states = await Promise.all(stage.gateways.map((gateway) => describeStatus(stage, gateway)));
      throw new Error(`no call got a response within ${ANSWERS_WITHIN_MS} ms; gateway states: ${states.join(" ")}`);
    });
    return await Promise.race([callers.nextAnswer(), timedOut]);
  }
}

/** The request fails while the rail is down. */
const SILENT = { rests: false, summary: "nothing" } as const;

async function describeStatus(stage: Stage, gateway: Post): Promise<string> {
  const { summary } = await stage.statusOf(gateway).catch(() => SILENT);
  return `${gateway.name}: ${summary}`;
}

/** Chooses the rail, some gateways, or both. */
function drawVictims({ rail, routers, gateways }: Stage, chance: Chance): Post[] {
  const behind = chance.pick([rail, ...routers]);
  const some = gateways.filter(() => chance.hits(0.6));
  const struck = some.length > 0 ? some : [chance.pick(gateways)];
  const what = chance.between(1, 10);
  if (what <= 2) return [behind];
  if (what <= 7) return struck;
  return chance.hits(0.5) ? [behind, ...struck] : [...struck, behind];
}

async function untilItRests(stage: Stage, gateway: Post): Promise<void> {
  const end = performance.now() + RESTS_WITHIN_MS;
  for (;;) {
    // Retries, because a gateway on a busy machine may miss the timeout.
    const { rests, summary } = await stage.statusOf(gateway).catch(() => SILENT);
    if (rests) return;
    if (performance.now() > end) throw new Error(`${gateway.name} is not idle after ${RESTS_WITHIN_MS} ms: ${summary}`);
    await pass(5);
  }
}

async function audited({ store }: Stage, what: { readonly receipts: boolean }): Promise<Violation[]> {
  const { violations } = await audit(store, what);
  return violations.map(({ invariant, subject, message }) => ({ law: invariant, message: `${subject}: ${message}` }));
}

async function judgedCaps({ store }: Stage): Promise<Violation[]> {
  const { budgets, sums } = await spending(store);
  return judgeCaps(budgets, sums);
}

/** Checks that the balance is credits minus billed charges. They are summed here, not by the rules under test. */
async function judgeMoney({ store, wallets }: Stage, judge: Judge): Promise<Violation[]> {
  const balanceById = await balances(store);
  return wallets.flatMap(({ id, creditedMicro }) => {
    const billed = [...judge.charges.values()].filter(({ walletId, state }) => walletId === id && state !== "voided");
    const dueMicro = billed.reduce((rest, { amountMicro }) => rest - amountMicro, creditedMicro);
    return balanceById.get(id) === dueMicro
      ? []
      : [{ law: "L2", message: `the balance of ${id} is ${balanceById.get(id)}, expected ${dueMicro}` }];
  });
}

async function judgeSecrets({ store }: Stage, planted: Planted): Promise<Violation[]> {
  const tables = await tablesThatHold(store, planted.texts);
  return [
    ...planted.violations,
    ...tables.map((name) => ({ law: "L11", message: `the table ${name} contains a planted secret` })),
  ];
}

async function pass(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
