import { createWriteProbe, type Database, type MigrationSource } from "@triptych/storage";
import type { RunRecord } from "../domain/records.ts";
import type { Repositories, ChangeEvent, PanelStore, RunMove } from "../domain/repositories.ts";
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
import { keepQueues, type QueueCache } from "./queue-cache.ts";
import { keepRuns, type RunCache } from "./run-cache.ts";
import { createExpiredData } from "./retention.ts";
import { createUsageRepository } from "./usage-repository.ts";
import { createContactRepository, createEffectRepository, createUploadRepository } from "./delivery-repositories.ts";
import { createMemoryRepository } from "./memory-repository.ts";
import { createQueueRepository } from "./queue-repository.ts";
import { createRecall, type QueryCache } from "./query-cache.ts";
import { createRepoRepository } from "./repo-repository.ts";
import { createRunRepository } from "./run-repository.ts";
import { createScheduleRepository } from "./schedule-repository.ts";
import type { Db, PanelTables } from "./tables.ts";
import { createWorkerRepository } from "./worker-repository.ts";
import type { QueueView } from "../queue/repository.ts";

const CHANNEL = "changes";
/** PostgreSQL limits a notification to 8,000 bytes; this many hints fit. */
const HINTS_AT_ONCE = 20;

export function storeOn(database: Database<PanelTables>): PanelStore {
  const caches: Caches = {
    runs: keepRuns(),
    queues: keepQueues(),
    recall: {
      run: createRecall(database),
      runs: createRecall(database),
      queue: createRecall(database),
    },
  };
  const hearers = new Set<(move: RunMove) => void>();
  return {
    system: createSystemQueries(database),
    fleet: openFleet(database),
    expiredData: createExpiredData(database),
    buses: busesOn(database, (hints) => spread(database, hints)),
    of: (owner) => createRepositories(database.db, owner, () => {}, caches),
    onMove: (listener) => void hearers.add(listener),
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
        const moved = (move: RunMove) => void moves.push(move);
        return work(createRepositories(tx, owner, (hint) => events.push(hint), { moved }));
      });
      for (const move of moves) for (const listener of hearers) listener(move);
      await spread(database, events);
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
async function spread(database: Database<PanelTables>, events: readonly ChangeEvent[]): Promise<void> {
  const last = new Map(events.map((hint) => [`${hint.type} ${hint.id}`, hint]));
  const hints = [...last.values()];
  for (let at = 0; at < hints.length; at += HINTS_AT_ONCE)
    await database.notify(CHANNEL, JSON.stringify(hints.slice(at, at + HINTS_AT_ONCE))).catch(() => {});
}

/** Reads inside a transaction are never cached, because it may roll back. */
interface Caches {
  readonly moved?: (move: RunMove) => void;
  readonly runs?: RunCache;
  readonly queues?: QueueCache;
  readonly recall?: {
    readonly run: QueryCache<RunRecord | null>;
    readonly runs: QueryCache<readonly RunRecord[]>;
    readonly queue: QueryCache<QueueView>;
  };
}

function createRepositories(
  db: Db,
  owner: string,
  notify: (hint: ChangeEvent) => void,
  caches: Caches = {},
): Repositories {
  const bus = createBusRepository(db, owner, notify);
  const runs = createRunRepository(db, owner, { bus, notify, moved: caches.moved, cache: caches.runs });
  const queue = createQueueRepository(db, owner, caches.queues);
  const { recall } = caches;
  return {
    account: createAccountRepository(db, owner),
    tokens: createTokenRepository(db, owner),
    license: createLicenseRepository(db, owner),
    repos: createRepoRepository(db, owner, notify),
    runs:
      recall === undefined
        ? runs
        : {
            ...runs,
            find: (id) => recall.run(`${owner} ${id}`, () => runs.find(id)),
            list: (filter, page) =>
              recall.runs(`${owner} ${JSON.stringify([filter, page])}`, () => runs.list(filter, page)),
          },
    bus,
    memories: createMemoryRepository(db, owner, notify),
    candidates: createCandidateRepository(db, owner, notify),
    once: createIdempotencyStore(db, owner),
    workers: createWorkerRepository(db, owner, notify),
    queue: recall === undefined ? queue : { ...queue, view: () => recall.queue(owner, () => queue.view()) },
    uploads: createUploadRepository(db, owner),
    effects: createEffectRepository(db, owner),
    contacts: createContactRepository(db, owner),
    checks: checkRepository(db, owner, notify),
    usage: createUsageRepository(db, owner),
    schedules: createScheduleRepository(db, owner, notify),
  };
}

export const PANEL_SCHEMA = "panel";
export const PANEL_MIGRATIONS: readonly MigrationSource[] = [
  { component: "panel", directory: new URL("../../migrations/", import.meta.url) },
];
