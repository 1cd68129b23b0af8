/**
 * The single writer of a rail process. It makes one atomic commit at a time, and stores it on disk before its result is
 * visible. The disk may fail and the process may crash around every commit; waiting work then gets no response.
 */
import { beginUnitOfWork, type UnitOfWork, type LoadedRows } from "../src/domain/unit-of-work.ts";
import type { Context } from "../src/domain/post-entry.ts";
import type { LedgerTopup } from "../src/domain/topup-state.ts";
import type { Judge } from "./judge.ts";
import { Unreachable } from "./network.ts";
import type { Rows } from "./rows.ts";
import type { Rates } from "./scenario.ts";
import type { World } from "./world.ts";

export interface Work<T> {
  readonly load: () => LoadedRows;
  readonly work: (unit: UnitOfWork, context: Context) => T;
  /** Returns the settled top-up, which is stored in the same commit. */
  readonly topup?: (result: T) => LedgerTopup | null;
  /** Called when the commit is on disk. */
  readonly applied?: (result: T, context: Context) => void;
}

export interface Writer {
  /** Rejects with `Unreachable` if the disk fails or the process crashes first. */
  commit<T>(work: Work<T>, context: () => Context): Promise<T>;
  /** Call it when the process has crashed. */
  end(): void;
  /** IDs of charges that were committed but not synced: a power loss drops them. */
  readonly unsynced: readonly string[];
}

export interface WriterOptions {
  readonly world: World;
  readonly rates: Rates;
  readonly rows: Rows;
  readonly judge: Judge;
  /** An await at which the process may crash; it then never returns. */
  readonly point: (name: string, ms: number) => Promise<void>;
}

interface Job {
  readonly run: () => Promise<void>;
  readonly failed: (error: Unreachable) => void;
}

const SYNC = true;

export function createWriter({ world, rates, rows, judge, point }: WriterOptions): Writer {
  const { chance } = world;
  const unsynced: string[] = [];
  const queue: Job[] = [];
  let current: Job | undefined;
  let hasEnded = false;

  return {
    unsynced,
    commit: (work, context) =>
      new Promise((resolve, failed) => {
        if (hasEnded) return failed(new Unreachable("the rail is down"));
        queue.push({ run: () => write(work, context, { resolve, failed }), failed });
        if (current === undefined) world.run(drain());
      }),
    end() {
      hasEnded = true;
      for (const { failed } of [current, ...queue].flatMap((job) => job ?? []))
        failed(new Unreachable("the connection was reset"));
    },
  };

  async function drain(): Promise<void> {
    for (current = queue.shift(); current !== undefined; current = queue.shift()) await current.run();
  }

  async function write<T>(work: Work<T>, context: () => Context, answer: Answer<T>): Promise<void> {
    await point("before a commit", 0.05);
    if (chance.hits(rates.of("disk"))) {
      world.note("a write failed");
      return answer.failed(new Unreachable("the disk is full"));
    }
    const at = context();
    const unit = beginUnitOfWork(work.load());
    const result = work.work(unit, at);
    if (SYNC) await point("while syncing", 0.5 + 3 * chance.next());
    apply(unit, work.topup?.(result) ?? null);
    work.applied?.(result, at);
    await point("after a commit", 0.02);
    answer.resolve(result);
  }

  function apply(unit: UnitOfWork, topup: LedgerTopup | null): void {
    const changes = unit.changes();
    rows.apply(changes);
    if (topup !== null) rows.topups.set(topup.id, topup);
    if (!SYNC) unsynced.push(...changes.charges.map(({ charge }) => charge.id));
    judge.committed(changes, topup ?? undefined);
    world.note("commits");
  }
}

interface Answer<T> {
  readonly resolve: (result: T) => void;
  readonly failed: (error: Unreachable) => void;
}
