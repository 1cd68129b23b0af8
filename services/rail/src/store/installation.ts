/** Verbs of what belongs to no wallet: signing keys, names of creating calls, and whether the store takes writes at all. */
import type { Database } from "@triptych/storage";
import type { Ledger, Once, OnceState } from "../domain/ledger.ts";
import { signingKeyRow, toSigningKey } from "./rows.ts";
import type { RailTables } from "./tables.ts";
import type { Tx } from "./write-changes.ts";

type InstallationVerbs = Pick<
  Ledger,
  "claimMode" | "signingKeys" | "putSigningKey" | "beginOnce" | "endOnce" | "writeFault"
>;

export function installationVerbs(database: Database<RailTables>): InstallationVerbs {
  const { db } = database;
  return {
    claimMode: (mode) =>
      database.transaction(async (tx) => {
        await tx.updateTable("installation").set({ mode }).where("mode", "is", null).execute();
        const { mode: claimed } = await tx.selectFrom("installation").select("mode").executeTakeFirstOrThrow();
        return claimed ?? mode;
      }),
    async signingKeys() {
      const rows = await db.selectFrom("signing_key").selectAll().orderBy("created_at").orderBy("kid").execute();
      return rows.map(toSigningKey);
    },
    async putSigningKey(key) {
      const row = signingKeyRow(key);
      await db
        .insertInto("signing_key")
        .values(row)
        .onConflict((conflict) => conflict.column("kid").doUpdateSet(row))
        .execute();
    },
    beginOnce: (once) => database.transaction((tx) => beginOnce(tx, once)),
    async endOnce(name, done) {
      if (done === null) {
        await db.deleteFrom("once").where("name", "=", name).execute();
        return;
      }
      const { answer, expiresAt } = done;
      await db.updateTable("once").set({ answer, expires_at: expiresAt }).where("name", "=", name).execute();
    },
    async writeFault() {
      try {
        await database.transaction(async (tx) => {
          await tx.insertInto("account").values({ id: "probe", total_micro: 0 }).execute();
          throw new RolledBack();
        });
        return null;
      } catch (error) {
        if (error instanceof RolledBack) return null;
        return error instanceof Error ? error.message : String(error);
      }
    },
  };
}

async function beginOnce(tx: Tx, { name, payload, now, expiresAt }: Once): Promise<OnceState> {
  const row = { name, payload, started_at: now, expires_at: expiresAt, answer: null };
  const inserted = await tx
    .insertInto("once")
    .values(row)
    .onConflict((conflict) => conflict.column("name").doNothing())
    .executeTakeFirst();
  if (Number(inserted.numInsertedOrUpdatedRows ?? 0n) > 0) return { kind: "first" };

  // The one that inserted it has committed: the insert above has waited for it.
  const known = await tx.selectFrom("once").selectAll().where("name", "=", name).forUpdate().executeTakeFirst();
  if (known === undefined || known.expires_at <= now) {
    await tx
      .insertInto("once")
      .values(row)
      .onConflict((conflict) => conflict.column("name").doUpdateSet(row))
      .execute();
    return { kind: "first" };
  }
  if (known.payload !== payload) return { kind: "other_payload" };
  return known.answer === null ? { kind: "running" } : { kind: "done", answer: known.answer };
}

class RolledBack extends Error {}
