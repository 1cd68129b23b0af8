import { createServiceStore, createWriteProbe, type Database, type MigrationSource } from "@triptych/storage";
import type { Repositories, ChangeEvent, PanelStore, RunMove } from "../domain/repositories.ts";
import type { RunRecord } from "../domain/records.ts";
import type { QueueView } from "../queue/repository.ts";
import {
  createAccountRepository,
  createLicenseRepository,
  createIdempotencyStore,
  createTokenRepository,
} from "./account-repositories.ts";
import { createBusRepository } from "./bus-repository.ts";
import { checkRepository } from "./check-repository.ts";
import { createCandidateRepository } from "./candidate-repository.ts";
import { busesOn } from "./buses.ts";
import { createSystemQueries } from "./system-queries.ts";
import { openFleet } from "./worker-queue-store.ts";
import { createExpiredData } from "./retention.ts";
import { createUsageRepository } from "./usage-repository.ts";
import {
  createContactRepository,
  createEffectRepository,
  createStatementRepository,
  createUploadRepository,
} from "./delivery-repositories.ts";
import { createFollowUpRepository } from "./follow-up-repository.ts";
import { createMemoryRepository } from "./memory-repository.ts";
import { createQueueRepository } from "./queue-repository.ts";
import { createQueryCache, type QueryCache } from "./query-cache.ts";
import { createRepoRepository } from "./repo-repository.ts";
import { createRunRepository } from "./run-repository.ts";
import { createSigningKeyTable } from "./signing-keys.ts";
import { createScheduleRepository } from "./schedule-repository.ts";
import type { Db, PanelTables } from "./tables.ts";
import { createWorkerRepository } from "./worker-repository.ts";

const CHANNEL = "changes";
/** PostgreSQL limits a notification to 8,000 bytes; this many hints fit. */
const HINTS_PER_NOTIFICATION = 20;

export function storeOn(database: Database<PanelTables>): PanelStore {
  const cache: CachedQueries = {
    run: createQueryCache(database),
    runs: createQueryCache(database),
    queue: createQueryCache(database),
  };
  const listeners = new Set<(move: RunMove) => void>();
  return {
    system: createSystemQueries(database),
    fleet: openFleet(database),
    expiredData: createExpiredData(database),
    signingKeys: createSigningKeyTable(database),
    buses: busesOn(database, (hints) => notifyChanges(database, hints)),
    of(owner) {
      const repositories = createRepositories(database.db, owner, { notify: () => {}, moved: () => {} });
      return withCache(repositories, owner, cache);
    },
    onMove: (listener) => void listeners.add(listener),
    async change(owner, work) {
      const [events, moves]: [ChangeEvent[], RunMove[]] = [[], []];
      const done = await database.transaction(async (tx) => {
        events.length = 0;
        moves.length = 0;
        // The first lock of every transaction: others of the same account wait here, then read our result.
        await tx
          .updateTable("account")
          .set((eb) => ({ revision: eb("revision", "+", 1) }))
          .where("owner", "=", owner)
          .execute();
        return work(
          createRepositories(tx, owner, {
            notify: (event) => void events.push(event),
            moved: (move) => void moves.push(move),
          }),
        );
      });
      for (const move of moves) for (const listener of listeners) listener(move);
      await notifyChanges(database, events);
      return done;
    },
    listen: (wake) =>
      database.listen(CHANNEL, (payload) => {
        if (payload === undefined) wake(null);
        else for (const hint of JSON.parse(payload) as readonly ChangeEvent[]) wake(hint);
      }),
    writeError: createWriteProbe(database),
    [Symbol.asyncDispose]: () => database.close(),
  };
}

/** After the commit; errors are ignored, as a lost hint only costs time. */
async function notifyChanges(database: Database<PanelTables>, events: readonly ChangeEvent[]): Promise<void> {
  const last = new Map(events.map((hint) => [`${hint.type} ${hint.id}`, hint]));
  const hints = [...last.values()];
  for (let at = 0; at < hints.length; at += HINTS_PER_NOTIFICATION)
    await database.notify(CHANNEL, JSON.stringify(hints.slice(at, at + HINTS_PER_NOTIFICATION))).catch(() => {});
}

interface CachedQueries {
  readonly run: QueryCache<RunRecord | null>;
  readonly runs: QueryCache<readonly RunRecord[]>;
  readonly queue: QueryCache<QueueView>;
}

/**
 * Dashboards poll runs and their queue positions. Without the cache, a list of 50 costs ten times the CPU (3.0 ms instead of 0.3 ms).
 * Transactions do not use it, because they may roll back.
 */
function withCache(repositories: Repositories, owner: string, { run, runs, queue }: CachedQueries): Repositories {
  const { runs: allRuns, queue: ownQueue } = repositories;
  return {
    ...repositories,
    runs: {
      ...allRuns,
      find: (id) => run(`${owner} ${id}`, () => allRuns.find(id)),
      list: (filter, page) => runs(`${owner} ${JSON.stringify([filter, page])}`, () => allRuns.list(filter, page)),
    },
    queue: { ...ownQueue, view: () => queue(owner, () => ownQueue.view()) },
  };
}

interface Listeners {
  readonly notify: (event: ChangeEvent) => void;
  readonly moved: (move: RunMove) => void;
}

function createRepositories(db: Db, owner: string, { notify, moved }: Listeners): Repositories {
  const bus = createBusRepository(db, owner, notify);
  return {
    account: createAccountRepository(db, owner),
    tokens: createTokenRepository(db, owner),
    license: createLicenseRepository(db, owner),
    repos: createRepoRepository(db, owner, notify),
    runs: createRunRepository(db, owner, { bus, notify, moved }),
    bus,
    memories: createMemoryRepository(db, owner, notify),
    candidates: createCandidateRepository(db, owner, notify),
    once: createIdempotencyStore(db, owner),
    workers: createWorkerRepository(db, owner, notify),
    queue: createQueueRepository(db, owner),
    uploads: createUploadRepository(db, owner),
    statements: createStatementRepository(db, owner),
    effects: createEffectRepository(db, owner),
    contacts: createContactRepository(db, owner),
    checks: checkRepository(db, owner, notify),
    followUps: createFollowUpRepository(db, owner),
    usage: createUsageRepository(db, owner),
    schedules: createScheduleRepository(db, owner, notify),
  };
}

export const PANEL_SCHEMA = "panel";
export const PANEL_MIGRATIONS: readonly MigrationSource[] = [
  { component: "panel", directory: new URL("../../migrations/", import.meta.url) },
];

/**
 * On SQLite one panel runs at a time, because another's workers, hints and caches would be invisible. Commands may
 * write concurrently.
 */
export const panelStore = createServiceStore<PanelTables>({
  name: PANEL_SCHEMA,
  migrations: PANEL_MIGRATIONS,
  // Copied before the rows that name them.
  transient: ["blob"],
  isExclusive: true,
});
