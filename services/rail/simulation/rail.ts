/**
 * The core of the rail in the simulated world: the product's queue groups waiting batches, a single writer commits, the
 * domain rules decide, and responses are sent after the commit. The process may crash at every await, and its clock may
 * jump.
 */
import { DECISION_PRICE_MICRO, LEASE_SECONDS, UNACKNOWLEDGED_SECONDS } from "@triptych/contracts";
import type { ChargeBatch, ChargeResults, Hello, ResolvedWallet } from "@triptych/billing-client";
import {
  applyBatch,
  hello,
  sweepCharges,
  type BatchOutcome,
  type GatewayBatch,
  type HelloInput,
} from "../src/domain/charge-batch.ts";
import { budgetsOf, reachedCap, spendableMicro } from "../src/domain/caps.ts";
import type { Context } from "../src/domain/post-entry.ts";
import { createCommitQueue, type CommitQueue } from "../src/store/commit-queue.ts";
import { createChargeAnswers, gatewayBatch, judgeAttempts, toReached } from "./charge-answers.ts";
import type { Judge } from "./judge.ts";
import { Unreachable, type Server } from "./network.ts";
import type { Rows } from "./rows.ts";
import type { Rates } from "./scenario.ts";
import type { Truth } from "./truth.ts";
import { demand } from "./violation.ts";
import type { Process, World } from "./world.ts";
import { createWriter, type Work, type Writer } from "./writer.ts";

/** A batch, and the step in which its gateway built it. */
export interface Envelope {
  readonly batch: ChargeBatch;
  readonly builtAt: number;
}

export interface Rail {
  readonly hello: Server<HelloInput, Hello | "fenced">;
  readonly resolve: Server<string, ResolvedWallet | null>;
  readonly charge: Server<Envelope, ChargeResults | "fenced">;
  /** Any other commit, by an operator or a provider. Rejects with `Unreachable`. */
  commit<T>(work: Work<T>): Promise<T>;
  readonly isUp: boolean;
  /** Moves the rail's clock by `ms`, forwards or backwards. */
  jump(ms: number): void;
  crash(): void;
  freeze(ms: number): void;
  sweepNow(): Promise<void>;
}

export interface RailOptions {
  readonly world: World;
  readonly rates: Rates;
  readonly rows: Rows;
  readonly judge: Judge;
  readonly truth: Truth;
}

/** A running process and its memory, which a crash loses. */
interface Running {
  readonly process: Process;
  readonly writer: Writer;
  readonly queue: CommitQueue;
}

const SWEEP_MS = 1000;
const START = Date.UTC(2026, 0, 1);

export function createRail({ world, rates, rows, judge, truth }: RailOptions): Rail {
  const { chance } = world;
  const answers = createChargeAnswers(rows, truth);
  const builtAt = new WeakMap<GatewayBatch, number>();
  let made = 0;
  let offset = 0;
  let running: Running | null = start();

  const process = () => running?.process ?? null;
  const wall = () => START + Math.floor(world.now) + offset;

  return {
    hello: {
      process,
      async handle(greeting) {
        const outcome = await commit({
          load: () => rows.forGreeting(greeting.instance),
          work: (unit, context) => hello(unit, greeting, context),
          applied: (result, { now }) => void (result !== null && truth.greeted(greeting, now)),
        });
        return outcome === null ? "fenced" : { voided: outcome.voided, lease_seconds: LEASE_SECONDS };
      },
    },
    resolve: { process, handle: resolveWallet },
    charge: {
      process,
      async handle(envelope) {
        const batch = gatewayBatch(envelope.batch);
        builtAt.set(batch, envelope.builtAt);
        const outcomes = await present().queue.submit(batch);
        if (outcomes === null) return "fenced";
        return outcomes.map((outcome, index) => answers.resultOf(batch, batch.charges[index], outcome));
      },
    },
    commit,
    get isUp() {
      return running !== null;
    },
    jump: (ms) => void (offset += ms),
    crash,
    freeze(ms) {
      if (running !== null) running.process.pausedUntil = world.now + ms;
    },
    sweepNow: sweep,
  };

  function start(): Running {
    const process = world.start("rail");
    const writer = createWriter({ world, rates, rows, judge, point: (name, ms) => point(process, name, ms) });
    const applyBatches = (batches: readonly GatewayBatch[], context: Context) =>
      writer.commit(batchesOf(batches), () => context);
    world.after(SWEEP_MS, process, function again(): void {
      world.run(sweep().catch(ignoreUnreachable));
      world.after(SWEEP_MS, process, again);
    });
    return { process, writer, queue: createCommitQueue({ ledger: { applyBatches }, context: contextNow }) };
  }

  /** Simulates a power loss: unsynced data is gone. */
  function crash(): void {
    if (running === null) return;
    world.note("the rail died");
    const { process, writer } = running;
    process.alive = false;
    running = null;
    writer.end();
    const lost = writer.unsynced.find((id) => answers.isAnswered(id));
    demand(lost === undefined, "L9", () => `the response of charge ${lost} was sent, but it is not on disk`);
    const downMs = chance.hits(0.2) ? chance.between(2000, 40_000) : chance.between(20, 1500);
    world.after(downMs, null, () => {
      running = start();
    });
  }

  /** An await at which the process may crash. */
  async function point(at: Process, name: string, ms: number): Promise<void> {
    world.note(name);
    if (at.alive && chance.hits(rates.of("rail_crashes") * 0.1)) crash();
    await world.pause(ms, at);
  }

  function present(): Running {
    if (running === null) throw new Unreachable("the rail is down");
    return running;
  }

  async function commit<T>(work: Work<T>): Promise<T> {
    return await present().writer.commit(work, contextNow);
  }

  function batchesOf(batches: readonly GatewayBatch[]): Work<readonly BatchOutcome[]> {
    return {
      load: () => rows.forBatches(batches),
      work: (unit, context) =>
        batches.map((batch) => {
          const outcomes = applyBatch(unit, batch, context);
          judgeAttempts(unit, batch, outcomes);
          return outcomes;
        }),
      applied(outcomes, { now }) {
        if (batches.length > 1) world.note("batches shared a commit");
        for (const [index, batch] of batches.entries())
          if (outcomes[index] !== null) truth.applied(batch, { builtAt: builtAt.get(batch) ?? -1, wall: now });
      },
    };
  }

  async function resolveWallet(walletHash: string): Promise<ResolvedWallet | null> {
    await point(present().process, "reading a wallet", 0.1);
    const wallet = rows.wallets.get(rows.tokens.get(walletHash) ?? "");
    if (wallet === undefined) truth.refusing(walletHash, "wallet_unknown");
    if (wallet === undefined) return null;
    const promoMicro = (wallet.promoExpiresAt ?? Infinity) > wall() ? wallet.promoMicro : 0;
    const balance_micro = wallet.paidMicro + promoMicro;
    if (wallet.status === "frozen") truth.refusing(walletHash, "wallet_frozen");
    if (balance_micro < DECISION_PRICE_MICRO) truth.refusing(walletHash, "wallet_empty");
    const budgets = budgetsOf(wallet, rows.subTokenOf(walletHash));
    const next = { amountMicro: DECISION_PRICE_MICRO, now: wall() };
    const cap = balance_micro < DECISION_PRICE_MICRO ? null : reachedCap(budgets, next);
    if (cap !== null) truth.refusing(walletHash, "cap_reached");
    const spendable_micro = spendableMicro(balance_micro, budgets, next);
    const left = { balance_micro, spendable_micro, ops: null, reached: cap && toReached(cap) };
    return { wallet_id: wallet.id, status: wallet.status, ...left };
  }

  async function sweep(): Promise<void> {
    const now = wall();
    const lapsed = [...rows.boots.values()].filter(({ state, leaseUntil }) => state === "live" && leaseUntil <= now);
    const overdue = rows.allPosted().filter(({ createdAt }) => createdAt <= now - UNACKNOWLEDGED_SECONDS * 1000);
    if (lapsed.length + overdue.length === 0) return;
    await commit({
      load: () => rows.forSweep(lapsed, overdue),
      work: (unit, context) => sweepCharges(unit, { lapsed, overdue: overdue.map(({ id }) => id) }, context),
    });
  }

  function contextNow(): Context {
    const newId = (prefix: string) => `${prefix}${String(++made).padStart(10, "0")}`;
    return { now: wall(), newId, issuer: "http://rail.test", kid: "kid-1", revenue: "revenue:decisions:sim" };
  }
}

export function ignoreUnreachable(error: unknown): void {
  if (!(error instanceof Unreachable)) throw error;
}
