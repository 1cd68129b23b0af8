/**
 * The rail's core in the simulated world: one writer that puts waiting batches together into one commit, the rules of the domain over
 * the rows, answers only after the commit is on disk. It may die at every await, and its disk may refuse a commit.
 */
import { createHash } from "node:crypto";
import {
  CHARGES_MAX,
  DECISION_PRICE_MICRO,
  LEASE_SECONDS,
  UNACKNOWLEDGED_SECONDS,
  type ChargeResult,
} from "@triptych/contracts";
import type { ChargeBatch, ChargeResults, Hello, ResolvedWallet } from "@triptych/client/billing";
import { openBook, type Book, type Loaded } from "../src/domain/book.ts";
import {
  applyBatch,
  hello,
  sweepCharges,
  type BatchOutcome,
  type ChargeAsk,
  type ChargeOutcome,
  type GatewayBatch,
} from "../src/domain/charge-batch.ts";
import type { Context } from "../src/domain/post.ts";
import { receiptClaims } from "../src/domain/receipt.ts";
import type { LedgerTopup } from "../src/domain/topup.ts";
import type { Judge } from "./judge.ts";
import { Unreachable, type Server } from "./network.ts";
import type { Rows } from "./rows.ts";
import type { Rates } from "./scenario.ts";
import type { Truth } from "./truth.ts";
import { demand } from "./violation.ts";
import type { Process, World } from "./world.ts";

/** A batch, and the step in which its gateway put it together. */
export interface Envelope {
  readonly batch: ChargeBatch;
  readonly builtAt: number;
}

export interface Rail {
  readonly hello: Server<{ readonly instance: string; readonly boot: string }, Hello | "fenced">;
  readonly resolve: Server<string, ResolvedWallet | null>;
  readonly charge: Server<Envelope, ChargeResults | "fenced">;
  /** Anything else that is one commit: what an operator or a provider does. Rejects as unreachable. */
  commit<T>(work: Work<T>): Promise<T>;
  readonly isUp: boolean;
  /** Its clock, as it believes. */
  wall(): number;
  jump(ms: number): void;
  crash(): void;
  freeze(ms: number): void;
  sweepNow(): Promise<void>;
}

export interface Work<T> {
  readonly load: () => Loaded;
  readonly work: (book: Book, context: Context) => T;
  /** The top-up that was settled, to be kept in the same commit. */
  readonly topup?: (result: T) => LedgerTopup | null;
  /** It is on disk. */
  readonly applied?: (result: T, context: Context) => void;
}

export interface RailOptions {
  readonly world: World;
  readonly rates: Rates;
  readonly rows: Rows;
  readonly judge: Judge;
  readonly truth: Truth;
}

interface Job {
  readonly batch: GatewayBatch | null;
  readonly builtAt: number;
  readonly work: Work<unknown> | null;
  readonly done: (result: unknown) => void;
  readonly failed: (error: Unreachable) => void;
}

/** A running process and what it holds: all of it is gone when it dies. */
interface Running {
  readonly process: Process;
  readonly queue: Job[];
  /** Jobs of the commit that is being made; empty between commits. */
  writing: readonly Job[];
  isWriting: boolean;
}

const SYNC = true;
const SWEEP_MS = 1000;
const START = Date.UTC(2026, 0, 1);

export function createRail({ world, rates, rows, judge, truth }: RailOptions): Rail {
  const { chance } = world;
  const receipts = new Map<string, string>();
  const answered = new Set<string>();
  let unsynced: string[] = [];
  let made = 0;
  let offset = 0;
  let running: Running | null = start();

  const process = () => running?.process ?? null;
  const wall = () => START + Math.floor(world.now) + offset;

  return {
    hello: {
      process,
      async handle(greeting) {
        const heard = await commit({
          load: () => rows.forGreeting(greeting.instance),
          work: (book, context) => hello(book, greeting, context),
          applied: (result, { now }) => void (result !== null && truth.greeted(greeting, now)),
        });
        return heard === null ? "fenced" : { voided: heard.voided, lease_seconds: LEASE_SECONDS };
      },
    },
    resolve: {
      process,
      async handle(walletHash) {
        await point("reading a wallet", 0.1);
        const wallet = rows.wallets.get(rows.tokens.get(walletHash) ?? "");
        if (wallet === undefined) truth.refusing(walletHash, "wallet_unknown");
        if (wallet === undefined) return null;
        const promoMicro = (wallet.promoExpiresAt ?? Infinity) > wall() ? wallet.promoMicro : 0;
        const balance_micro = wallet.paidMicro + promoMicro;
        if (wallet.status === "frozen") truth.refusing(walletHash, "wallet_frozen");
        if (balance_micro < DECISION_PRICE_MICRO) truth.refusing(walletHash, "wallet_empty");
        return { wallet_id: wallet.id, status: wallet.status, balance_micro };
      },
    },
    charge: {
      process,
      async handle({ batch, builtAt }) {
        const asked = gatewayBatch(batch);
        const outcomes = await enqueue<BatchOutcome>({ batch: asked, builtAt, work: null });
        if (outcomes === null) return "fenced";
        return outcomes.map((one, place) => chargeResult(asked, asked.charges[place], one));
      },
    },
    commit,
    get isUp() {
      return running !== null;
    },
    wall,
    jump: (ms) => void (offset += ms),
    crash,
    freeze(ms) {
      if (running !== null) running.process.pausedUntil = world.now + ms;
    },
    sweepNow: sweep,
  };

  function start(): Running {
    const begun: Running = { process: world.start("rail"), queue: [], writing: [], isWriting: false };
    world.after(SWEEP_MS, begun.process, function again(): void {
      world.run(sweep().catch(ignoreUnreachable));
      world.after(SWEEP_MS, begun.process, again);
    });
    return begun;
  }

  /** The machine loses power: what was not synced is gone. */
  function crash(): void {
    if (running === null) return;
    world.note("the rail died");
    const { process, queue, writing } = running;
    process.alive = false;
    running = null;
    for (const { failed } of [...writing, ...queue]) failed(new Unreachable("the connection was reset"));
    const lost = unsynced.find((id) => answered.has(id));
    demand(lost === undefined, "L9", () => `charge ${lost} was answered and is not on disk`);
    unsynced = [];
    world.after(chance.hits(0.2) ? chance.between(2000, 40_000) : chance.between(20, 1500), null, () => {
      running = start();
    });
  }

  /** An await at which the process may die. */
  async function point(name: string, ms: number): Promise<void> {
    world.note(name);
    if (chance.hits(rates.of("rail_crashes") * 0.1)) crash();
    await world.pause(ms, running?.process ?? NOBODY);
  }

  function commit<T>(work: Work<T>): Promise<T> {
    return enqueue<T>({ batch: null, builtAt: 0, work: work as Work<unknown> });
  }

  function enqueue<T>(what: Pick<Job, "batch" | "builtAt" | "work">): Promise<T> {
    const mine = running;
    if (mine === null) return Promise.reject(new Unreachable("the rail is down"));
    return new Promise((resolve, failed) => {
      // The writer hands back what the job's own work made.
      mine.queue.push({ ...what, done: (result) => resolve(result as T), failed });
      if (!mine.isWriting) world.run(write(mine));
    });
  }

  async function write(mine: Running): Promise<void> {
    mine.isWriting = true;
    for (let group = nextGroup(mine.queue); group.length > 0; group = nextGroup(mine.queue)) {
      mine.writing = group;
      await point("before a commit", 0.05);
      if (chance.hits(rates.of("disk"))) {
        world.note("the disk refused");
        for (const { failed } of group) failed(new Unreachable("the disk is full"));
        continue;
      }
      const done = runGroup(group);
      if (SYNC) await point("while syncing", 0.5 + 3 * chance.next());
      apply(done);
      await point("after a commit", 0.02);
      for (const [place, { done: answer }] of group.entries()) answer(done.results[place]);
    }
    mine.isWriting = false;
  }

  function runGroup(group: readonly Job[]): Done {
    const context = contextNow();
    const [{ work }] = group;
    if (work !== null) {
      const book = openBook(work.load());
      const result = work.work(book, context);
      const topup = work.topup?.(result) ?? null;
      return { results: [result], book, topup, tell: () => work.applied?.(result, context) };
    }
    const batches = group.flatMap(({ batch }) => batch ?? []);
    const book = openBook(rows.forBatches(batches));
    const results = batches.map((batch) => applyBatch(book, batch, context));
    if (batches.length > 1) world.note("batches shared a commit");
    return { results, book, topup: null, tell: () => tellApplied(group, results, context) };
  }

  function tellApplied(group: readonly Job[], results: readonly BatchOutcome[], { now }: Context): void {
    for (const [place, { batch, builtAt }] of group.entries())
      if (batch !== null && results[place] !== null) truth.applied(batch, { builtAt, wall: now });
  }

  function apply({ book, topup, tell }: Done): void {
    const changes = book.changes();
    rows.apply(changes);
    if (topup !== null) rows.topups.set(topup.id, topup);
    if (!SYNC) unsynced.push(...changes.charges.map(({ charge }) => charge.id));
    judge.committed(changes, topup ?? undefined);
    tell();
    world.note("commits");
  }

  async function sweep(): Promise<void> {
    const now = wall();
    const lapsed = [...rows.boots.values()].filter(({ state, leaseUntil }) => state === "live" && leaseUntil <= now);
    const overdue = rows.allPosted().filter(({ createdAt }) => createdAt <= now - UNACKNOWLEDGED_SECONDS * 1000);
    if (lapsed.length + overdue.length === 0) return;
    await commit({
      load: () => rows.forSweep(lapsed, overdue),
      work: (book, context) => sweepCharges(book, { lapsed, overdue: overdue.map(({ id }) => id) }, context),
    });
  }

  function contextNow(): Context {
    const newId = (prefix: string) => `${prefix}${String(++made).padStart(10, "0")}`;
    return { now: wall(), newId, issuer: "http://rail.test", kid: "kid-1", revenue: "revenue:decisions:sim" };
  }

  function chargeResult(batch: GatewayBatch, ask: ChargeAsk, outcome: ChargeOutcome): ChargeResult {
    judgeOutcome(batch, ask, outcome);
    const { seq } = ask;
    if (!("charge" in outcome)) {
      if (outcome.status === 402 || outcome.status === 403) truth.refusing(ask.walletHash, outcome.code);
      return {
        seq,
        status: outcome.status,
        code: outcome.code,
        balance_micro: "balanceMicro" in outcome ? outcome.balanceMicro : null,
      };
    }
    const { charge, status } = outcome;
    const receipt = JSON.stringify(receiptClaims(charge));
    demand((receipts.get(charge.id) ?? receipt) === receipt, "receipts", () => `two receipts of ${charge.id}`);
    demand(rows.charges.has(charge.id), "L9", () => `the receipt of ${charge.id} left before its row was on disk`);
    receipts.set(charge.id, receipt);
    answered.add(charge.id);
    return {
      seq,
      status,
      charge_id: charge.id,
      amount_micro: charge.amountMicro,
      balance_micro: charge.balanceAfterMicro,
      wallet_seq: charge.walletSeq,
      receipt,
      ...(status === 200 && { response: rows.responses.get(charge.id) ?? null }),
    };
  }

  /** The three identities, kept apart: the attempt's own charge, or the delivered one of its key. */
  function judgeOutcome({ instance, boot }: GatewayBatch, ask: ChargeAsk, outcome: ChargeOutcome): void {
    const own = rows.attempted({ instance, boot, seq: ask.seq });
    const told = "charge" in outcome ? outcome.charge : null;
    const name = `${instance} ${boot} ${ask.seq}`;
    if (own !== undefined && own.state !== "voided")
      demand(
        outcome.status === 201 && told?.id === own.id,
        "attempt",
        () => `${name} is charged and was told ${outcome.status}`,
      );
    if (outcome.status === 201)
      demand(own?.id === told?.id, "attempt", () => `${name} was told the charge of another attempt`);
    if (outcome.status !== 200 || told === null) return;
    const isSame = told.keyHash === ask.keyHash && ask.keyHash !== null && told.req === ask.req;
    demand(
      isSame && truth.isFinished(told.id),
      "replays",
      () => `${name} was told ${told.id}, which was not delivered`,
    );
  }
}

/** Work that was done and is not on disk yet. */
interface Done {
  readonly results: readonly unknown[];
  readonly book: Book;
  readonly topup: LedgerTopup | null;
  readonly tell: () => void;
}

const NOBODY: Process = { name: "nobody", alive: false, pausedUntil: 0 };

/** What waits at the head of the queue and fits into one commit: batches together, anything else alone. */
function nextGroup(queue: Job[]): Job[] {
  let charges = 0;
  let count = 0;
  for (const { batch } of queue) {
    if (batch === null) break;
    charges += batch.charges.length;
    if (count > 0 && charges > CHARGES_MAX) break;
    count++;
  }
  return queue.splice(0, Math.max(count, 1));
}

const hashes = new Map<string, string>();

function hashOf(key: string): string {
  let hash = hashes.get(key);
  if (hash === undefined) hashes.set(key, (hash = createHash("sha256").update(key).digest("hex")));
  return hash;
}

function gatewayBatch({ instance, boot, ack, voids = [], charges = [] }: ChargeBatch): GatewayBatch {
  return {
    instance,
    boot,
    ack: ack === undefined ? null : { through: ack.through, also: ack.also ?? [] },
    voids,
    charges: charges.map(({ seq, wallet_hash, key, op, price_id, req, res, response }) => ({
      seq,
      walletHash: wallet_hash,
      keyHash: key === undefined ? null : hashOf(key),
      op,
      priceId: price_id,
      priceMicro: DECISION_PRICE_MICRO,
      req,
      res,
      sealed: response ?? null,
    })),
  };
}

export function ignoreUnreachable(error: unknown): void {
  if (!(error instanceof Unreachable)) throw error;
}
