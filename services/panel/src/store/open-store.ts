/** The panel's store on a database of either engine. */
import { createWriteProbe, type Database } from "@triptych/storage";
import type { RunRecord } from "../domain/records.ts";
import type { QueueView } from "../domain/worker-repositories.ts";
import type { Books, Hint, PanelStore, RunMove } from "../domain/repositories.ts";
import { accountBook, licenseBook, onceBook, tokenBook } from "./account-repositories.ts";
import { busBook } from "./bus-repository.ts";
import { checkRepository } from "./check-repository.ts";
import { candidateBook } from "./candidate-repository.ts";
import { busesOn } from "./buses.ts";
import { openDoors } from "./system-queries.ts";
import { openFleet } from "./worker-queue-store.ts";
import { keepQueues, type KeptQueues } from "./queue-cache.ts";
import { keepRuns, type KeptRuns } from "./run-cache.ts";
import { leftoversOf } from "./retention.ts";
import { usageBook } from "./usage-repository.ts";
import { contactBook, effectBook, uploadBook } from "./delivery-repositories.ts";
import { memoryBook } from "./memory-repository.ts";
import { queueBook } from "./queue-repository.ts";
import { createRecall, type Recall } from "./query-cache.ts";
import { repoBook } from "./repo-repository.ts";
import { runBook } from "./run-repository.ts";
import { scheduleBook } from "./schedule-repository.ts";
import type { Db, PanelTables } from "./tables.ts";
import { workerBook } from "./worker-repository.ts";

const CHANNEL = "changes";
/** A notification of PostgreSQL takes 8,000 bytes: so many hints fit into one. */
const HINTS_AT_ONCE = 20;

export function storeOn(database: Database<PanelTables>): PanelStore {
  const kept: Kept = {
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
    doors: openDoors(database),
    fleet: openFleet(database),
    leftovers: leftoversOf(database),
    buses: busesOn(database, (hints) => spread(database, hints)),
    of: (owner) => booksOf(database.db, owner, () => {}, kept),
    onMove: (hear) => void hearers.add(hear),
    async change(owner, work) {
      const [told, moves]: [Hint[], RunMove[]] = [[], []];
      const done = await database.transaction(async (tx) => {
        told.length = 0;
        moves.length = 0;
        // Taken first by everybody: who changes the same account waits here, and reads what we have left.
        await tx
          .updateTable("account")
          .set((eb) => ({ revision: eb("revision", "+", 1) }))
          .where("owner", "=", owner)
          .execute();
        const moved = (move: RunMove) => void moves.push(move);
        return work(booksOf(tx, owner, (hint) => told.push(hint), { moved }));
      });
      for (const move of moves) for (const hear of hearers) hear(move);
      await spread(database, told);
      return done;
    },
    listen: (wake) =>
      database.listen(CHANNEL, (payload) => {
        if (payload === undefined) wake(null);
        else for (const hint of JSON.parse(payload) as readonly Hint[]) wake(hint);
      }),
    writeFault: createWriteProbe(database),
    [Symbol.asyncDispose]: () => database.close(),
  };
}

/** After the commit, and never its trouble: a hint that is lost costs time, nothing else. */
async function spread(database: Database<PanelTables>, told: readonly Hint[]): Promise<void> {
  const last = new Map(told.map((hint) => [`${hint.type} ${hint.id}`, hint]));
  const hints = [...last.values()];
  for (let at = 0; at < hints.length; at += HINTS_AT_ONCE)
    await database.notify(CHANNEL, JSON.stringify(hints.slice(at, at + HINTS_AT_ONCE))).catch(() => {});
}

/** Nothing of what a change reads is kept: it may never be committed; and nothing moves outside of one. */
interface Kept {
  readonly moved?: (move: RunMove) => void;
  readonly runs?: KeptRuns;
  readonly queues?: KeptQueues;
  readonly recall?: {
    readonly run: Recall<RunRecord | null>;
    readonly runs: Recall<readonly RunRecord[]>;
    readonly queue: Recall<QueueView>;
  };
}

function booksOf(db: Db, owner: string, tell: (hint: Hint) => void, kept: Kept = {}): Books {
  const bus = busBook(db, owner, tell);
  const runs = runBook(db, owner, { bus, tell, moved: kept.moved, kept: kept.runs });
  const queue = queueBook(db, owner, kept.queues);
  const { recall } = kept;
  return {
    account: accountBook(db, owner),
    tokens: tokenBook(db, owner),
    license: licenseBook(db, owner),
    repos: repoBook(db, owner, tell),
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
    memories: memoryBook(db, owner, tell),
    candidates: candidateBook(db, owner, tell),
    once: onceBook(db, owner),
    workers: workerBook(db, owner, tell),
    queue: recall === undefined ? queue : { ...queue, look: () => recall.queue(owner, () => queue.look()) },
    uploads: uploadBook(db, owner),
    effects: effectBook(db, owner),
    contacts: contactBook(db, owner),
    checks: checkRepository(db, owner, tell),
    usage: usageBook(db, owner),
    schedules: scheduleBook(db, owner, tell),
  };
}
