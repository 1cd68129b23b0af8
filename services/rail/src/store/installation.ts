import { createWriteProbe, type Database } from "@triptych/storage";
import type { Ledger } from "../domain/ledger.ts";
import { recordAction } from "./operator-log.ts";
import { signingKeyRow, toSigningKey } from "./rows.ts";
import type { RailTables } from "./tables.ts";

type InstallationVerbs = Pick<
  Ledger,
  "claimMode" | "namesSecret" | "claimNamesSecret" | "signingKeys" | "addSigningKey" | "changeSigningKey" | "writeError"
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
    async namesSecret() {
      const row = await db.selectFrom("installation").select("names_sealed").executeTakeFirstOrThrow();
      return row.names_sealed;
    },
    claimNamesSecret: (sealed) =>
      database.transaction(async (tx) => {
        await tx.updateTable("installation").set({ names_sealed: sealed }).where("names_sealed", "is", null).execute();
        const row = await tx.selectFrom("installation").select("names_sealed").executeTakeFirstOrThrow();
        return row.names_sealed ?? sealed;
      }),
    async signingKeys() {
      const rows = await db.selectFrom("signing_key").selectAll().orderBy("created_at").orderBy("kid").execute();
      return rows.map(toSigningKey);
    },
    addSigningKey: (key, expectedKids, by) =>
      database.transaction(async (tx) => {
        // Lock the installation, so that if two processes start together, the later one finds the key of the first.
        await tx.selectFrom("installation").select("single").forUpdate().execute();
        const rows = await tx.selectFrom("signing_key").select("kid").execute();
        if (rows.length !== expectedKids.length || rows.some(({ kid }) => !expectedKids.includes(kid))) return false;
        await tx.insertInto("signing_key").values(signingKeyRow(key)).execute();
        if (by !== undefined) await recordAction(tx, { action: "rotate_keys", subject: key.kid, by });
        return true;
      }),
    changeSigningKey: (key, by) =>
      database.transaction(async (tx) => {
        // Do not write the encrypted key: a rotation may have re-encrypted it since it was read.
        const { kid, sealed: _, ...row } = signingKeyRow(key);
        await tx.updateTable("signing_key").set(row).where("kid", "=", kid).execute();
        await recordAction(tx, { action: "revoke_key", subject: kid, by });
      }),
    writeError: createWriteProbe(database),
  };
}
