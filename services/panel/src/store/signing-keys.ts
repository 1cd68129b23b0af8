/** Signing keys of the installation, and its audit log. */
import { sql, type Database } from "@triptych/storage";
import type { SigningKeyTable } from "../domain/repositories.ts";
import type { PanelTables, SigningKeyRow } from "./tables.ts";

type StoredKey = Awaited<ReturnType<SigningKeyTable["signingKeys"]>>[number];

/** Owner of audit entries that concern no account. Account IDs begin with `acc_`. */
const INSTALLATION = "installation";

export function createSigningKeyTable(database: Database<PanelTables>): SigningKeyTable {
  const { db } = database;
  return {
    async signingKeys() {
      const rows = await db.selectFrom("signing_key").selectAll().orderBy("created_at").orderBy("kid").execute();
      return rows.map(toKey);
    },
    addSigningKey: (key, expectedKids) =>
      database.transaction(async (tx) => {
        // If two processes start together, the second waits here and finds the key of the first.
        if (database.engine === "postgres") await sql`lock table signing_key in exclusive mode`.execute(tx);
        const rows = await tx.selectFrom("signing_key").select("kid").execute();
        if (rows.length !== expectedKids.length || rows.some(({ kid }) => !expectedKids.includes(kid))) return false;
        await tx.insertInto("signing_key").values(toRow(key)).execute();
        return true;
      }),
    async note({ id, what, at }) {
      await db.insertInto("audit").values({ owner: INSTALLATION, id, what, at }).execute();
    },
  };
}

function toKey({ kid, x, sealed, created_at, active_from, retired_at, not_after }: SigningKeyRow): StoredKey {
  return {
    kid,
    x,
    sealed,
    createdAt: created_at,
    activeFrom: active_from,
    retiredAt: retired_at,
    notAfter: not_after,
  };
}

function toRow({ kid, x, sealed, createdAt, activeFrom, retiredAt, notAfter }: StoredKey): SigningKeyRow {
  return {
    kid,
    x,
    sealed,
    created_at: createdAt,
    active_from: activeFrom,
    retired_at: retiredAt,
    not_after: notAfter,
  };
}
