/** The panel's store on a database of either engine. */
import type { Database } from "@triptych/storage";
import type { Books, PanelStore } from "../domain/panel-store.ts";
import { accountBook, licenseBook, onceBook, tokenBook } from "./account-books.ts";
import { openDoors } from "./doors.ts";
import { memoryBook } from "./memory-book.ts";
import { repoBook } from "./repo-book.ts";
import { runBook } from "./run-book.ts";
import type { Db, PanelTables } from "./tables.ts";

export function storeOn(database: Database<PanelTables>): PanelStore {
  return {
    doors: openDoors(database),
    of: (owner) => booksOf(database.db, owner),
    change: (owner, work) =>
      database.transaction(async (tx) => {
        // Taken first by everybody: who changes the same account waits here, and reads what we have left.
        await tx
          .updateTable("account")
          .set((eb) => ({ revision: eb("revision", "+", 1) }))
          .where("owner", "=", owner)
          .execute();
        return work(booksOf(tx, owner));
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

function booksOf(db: Db, owner: string): Books {
  return {
    account: accountBook(db, owner),
    tokens: tokenBook(db, owner),
    license: licenseBook(db, owner),
    repos: repoBook(db, owner),
    runs: runBook(db, owner),
    memories: memoryBook(db, owner),
    once: onceBook(db, owner),
  };
}
