/**
 * Simulates one run: a seeded world, a number of steps with faults, and then a calm phase. Every commit is judged. At
 * the end all calls must finish, the rail must know all results, and everything billed must be delivered.
 */
import { UNACKNOWLEDGED_SECONDS } from "@triptych/contracts";
import { NO_CAPS, NO_SPEND } from "../src/domain/caps.ts";
import { FIRST_PREV } from "../src/domain/entry.ts";
import { bootName, type UnitOfWork } from "../src/domain/unit-of-work.ts";
import { adjust, grantStarter } from "../src/domain/movements.ts";
import type { Context } from "../src/domain/post-entry.ts";
import { createCallers } from "./callers.ts";
import { startFate } from "./fate.ts";
import { createGateway, type Gateway } from "./gateway.ts";
import { createJudge } from "./judge.ts";
import { createNetwork } from "./network.ts";
import { startPayments } from "./payments.ts";
import { createRail, ignoreUnreachable, type Rail } from "./rail.ts";
import { createChance } from "./random.ts";
import { Rows } from "./rows.ts";
import { ratesOf, type Scenario } from "./scenario.ts";
import { createTruth } from "./truth.ts";
import { demand, Violation } from "./violation.ts";
import { createWorld, type World } from "./world.ts";

export interface Run {
  readonly scenario: Scenario;
  /** Null if all invariants hold. */
  readonly violation: Violation | null;
  /** Number of steps, including the calm phase. */
  readonly steps: number;
  /** How often each action occurred. */
  readonly seen: ReadonlyMap<string, number>;
  readonly charges: number;
  readonly free: number;
}

const WALLETS = 4;
/** A calm world must come to rest within this many steps. */
const CALM_STEPS = 20_000;

export async function simulate(scenario: Scenario): Promise<Run> {
  const chance = createChance(scenario.seed);
  const rates = ratesOf(scenario);
  const world = createWorld(chance);
  const rows = new Rows();
  const truth = createTruth(() => world.step);
  const judge = createJudge(rows, truth);
  const network = createNetwork(world, rates);
  const rail = createRail({ world, rates, rows, judge, truth });
  const gateways = Array.from({ length: scenario.gateways }, (_, index) =>
    createGateway({ world, rates, network, rail, truth, name: `gw-${index}` }),
  );
  const ran = (violation: Violation | null): Run => {
    const { charges } = rows;
    return { scenario, violation, steps: world.step, seen: world.seen, charges: charges.size, free: truth.free.length };
  };

  try {
    const tokens = await openWallets({ world, rail, rows });
    if (scenario.isCapped === true) {
      tokens.push(...openSubTokens(rows, world.chance));
      rail.jump(-world.chance.between(0, 5_000));
    }
    const walletIds = [...rows.wallets.keys()];
    const callers = createCallers({ world, rates, gateways, rows, truth, tokens, count: scenario.callers });
    startFate(world, rates, { rail, gateways });
    const payments = startPayments({ world, rates, rail, rows, walletIds });

    while (world.step < scenario.steps) await world.advance();
    rates.calm();
    callers.rest();
    rail.freeze(0);
    for (const gateway of gateways) gateway.freeze(0);
    await untilAtRest(world, { rail, rows, gateways, others: [callers, payments] });

    await finish(world, payments.reconcile());
    demand(rows.allPosted().length === 0, "rest", () => `${rows.allPosted().length} charges are still open`);
    for (const gateway of gateways) gateway.crash(1e9);
    rail.jump((UNACKNOWLEDGED_SECONDS + 1) * 1000);
    await finish(world, rail.sweepNow());
    for (const { id, state } of rows.charges.values())
      if (state !== "voided")
        demand(truth.isFinished(id), "L6", () => `charge ${id} is ${state} but was never delivered`);
    judge.audit();
    payments.audit();
    return ran(null);
  } catch (error) {
    // An unexpected exception or response counts as a violation.
    return ran(error instanceof Violation ? error : new Violation("fault", describe(error)));
  }
}

function describe(error: unknown): string {
  return error instanceof Error
    ? `${error.name}: ${error.message} ${error.stack?.split("\n")[1] ?? ""}`
    : String(error);
}

async function openWallets({ world, rail, rows }: { world: World; rail: Rail; rows: Rows }): Promise<string[]> {
  const { chance } = world;
  const tokens: string[] = [];
  for (let index = 0; index < WALLETS; index++) {
    const token = `hash-${index}`;
    tokens.push(token);
    // The wallet of one token is created later.
    const open = () =>
      finish(
        world,
        openWallet({
          world,
          rail,
          rows,
          token,
          paidMicro: 500 * chance.pick([0, 1, 3, 10, 40]),
          isNew: chance.hits(0.2),
        }),
      );
    if (index === WALLETS - 1)
      world.after(5000 * chance.next(), null, () =>
        world.run(openWallet({ world, rail, rows, token, paidMicro: 9000, isNew: false })),
      );
    else await open();
  }
  return tokens;
}

/**
 * Gives wallets caps that are not multiples of the price, and two sub-tokens each. Returns the hashes of the tokens.
 */
function openSubTokens(rows: Rows, chance: World["chance"]): string[] {
  const limit = () => chance.pick([null, 700, 1_700, 4_200, 20_000]);
  const hashes: string[] = [];
  for (const wallet of rows.wallets.values()) {
    rows.wallets.set(wallet.id, { ...wallet, caps: { ...NO_CAPS, per_day: limit(), per_month: limit() } });
    for (const name of ["a", "b"]) {
      const tokenHash = `${wallet.id} ${name}`;
      const caps = { per_charge: null, per_day: limit(), per_month: limit(), total: limit() };
      const id = `tok_${tokenHash}`;
      rows.subTokens.set(id, { id, walletId: wallet.id, tokenHash, ops: null, caps, spend: NO_SPEND });
      rows.tokens.set(tokenHash, wallet.id);
      hashes.push(tokenHash);
    }
  }
  return hashes;
}

async function openWallet(wallet: {
  world: World;
  rail: Rail;
  rows: Rows;
  token: string;
  paidMicro: number;
  isNew: boolean;
}) {
  const { world, rail, rows, token, paidMicro, isNew } = wallet;
  const id = `wal_${token}`;
  const empty = {
    id,
    status: "active",
    paidMicro: 0,
    promoMicro: 0,
    promoExpiresAt: null,
    seq: 0,
    head: FIRST_PREV,
    caps: NO_CAPS,
    spend: NO_SPEND,
  } as const;
  const by = { operator: "olga", reason: "to begin with" };
  const work = {
    load: () => rows.forWallet(id),
    work(unit: UnitOfWork, context: Context) {
      if (unit.wallet(id) !== undefined) return;
      unit.saveWallet(empty);
      const posted = isNew ? grantStarter(unit, empty, context).wallet : empty;
      if (paidMicro > 0) adjust(unit, posted, { amountMicro: paidMicro, by, context });
    },
    applied: () => void rows.tokens.set(token, id),
  };
  const isOpen = () => rail.commit(work).then(() => true, ignoreUnreachable);
  while ((await isOpen()) !== true) await world.pause(200, null);
}

/** Takes steps until the work is done; it is an error if the events run out first. */
async function finish<T>(world: World, work: Promise<T>): Promise<T> {
  const progress = { isDone: false };
  const done = work.finally(() => {
    progress.isDone = true;
  });
  const last = world.step + CALM_STEPS;
  while (!progress.isDone) demand((await world.advance()) && world.step < last, "rest", () => "work that never ends");
  return done;
}

async function untilAtRest(
  world: World,
  {
    rail,
    rows,
    gateways,
    others,
  }: {
    readonly rail: Rail;
    readonly rows: Rows;
    readonly gateways: readonly Gateway[];
    readonly others: readonly { readonly busy: number }[];
  },
): Promise<void> {
  const last = world.step + CALM_STEPS;
  const isAtRest = () =>
    others.every(({ busy }) => busy === 0) &&
    rail.isUp &&
    gateways.every((gateway) => {
      const state = gateway.billing()?.state();
      if (gateway.asleep > 0 || state?.phase !== "live") return false;
      // A replaced process may have registered last. This one does not know that it was fenced until its next
      // heartbeat.
      const boot = rows.boots.get(bootName({ instance: gateway.name, boot: state.boot }));
      return boot?.state === "live" && state.waiting + state.held + state.unconfirmed === 0;
    });
  while (!isAtRest()) {
    demand(
      world.step < last,
      "rest",
      () => `${others.map(({ busy }) => busy).join(" and ")} calls and events do not end`,
    );
    await world.advance();
  }
}
