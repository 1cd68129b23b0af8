/** The panel's store on a database of either engine. */
import type { Database } from "@triptych/storage";
import type { Books, Hint, PanelStore } from "../domain/panel-store.ts";
import { accountBook, licenseBook, onceBook, tokenBook } from "./account-books.ts";
import { busBook } from "./bus-book.ts";
import { openDoors } from "./doors.ts";
import { memoryBook } from "./memory-book.ts";
import { repoBook } from "./repo-book.ts";
import { runBook } from "./run-book.ts";
import type { Db, PanelTables } from "./tables.ts";

const CHANNEL = "changes";
/** A notification of PostgreSQL takes 8,000 bytes: so many hints fit into one. */
const HINTS_AT_ONCE = 20;

export function storeOn(database: Database<PanelTables>): PanelStore {
  return {
    doors: openDoors(database),
    of: (owner) => booksOf(database.db, owner, () => {}),
    async change(owner, work) {
      const told: Hint[] = [];
      const done = await database.transaction(async (tx) => {
        told.length = 0;
        // Taken first by everybody: who changes the same account waits here, and reads what we have left.
        await tx
          .updateTable("account")
          .set((eb) => ({ revision: eb("revision", "+", 1) }))
          .where("owner", "=", owner)
          .execute();
        return work(booksOf(tx, owner, (hint) => told.push(hint)));
      });
      await spread(database, told);
      return done;
    },
    listen: (wake) =>
      database.listen(CHANNEL, (payload) => {
        if (payload === undefined) wake(null);
        else for (const hint of JSON.parse(payload) as readonly Hint[]) wake(hint);
      }),
    async isWell() {
      try {
        await database.db.selectFrom("account").select("owner").limit(1).execute();
        return true;
      } catch {
        return false;
      }
    },
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

function booksOf(db: Db, owner: string, tell: (hint: Hint) => void): Books {
  const bus = busBook(db, owner, tell);
  return {
    account: accountBook(db, owner),
    tokens: tokenBook(db, owner),
    license: licenseBook(db, owner),
    repos: repoBook(db, owner, tell),
    runs: runBook(db, owner, { bus, tell }),
    bus,
    memories: memoryBook(db, owner, tell),
    once: onceBook(db, owner),
  };
}
