import type { Database } from "@triptych/storage";
import type { Ledger } from "../domain/ledger.ts";
import { recordAction } from "./operator-log.ts";
import { KEY_DAYS } from "./purge-expired.ts";
import type { RailTables } from "./tables.ts";

const KEY_MS = KEY_DAYS * 86_400_000;

type ClockVerbs = Pick<Ledger, "readTime" | "saveTime" | "confirmLag" | "recordConfirmation" | "endsBetween">;

export function clockVerbs({ db }: Database<RailTables>): ClockVerbs {
  return {
    recordConfirmation: (by) => recordAction(db, { action: "confirm_clock", by }),
    async readTime() {
      const clock = await db.selectFrom("clock").selectAll().executeTakeFirstOrThrow();
      // IDs ascend with time, and every entry has a transfer. Entries have no index by time.
      const newest = await db.selectFrom("transfer").select("at").orderBy("id", "desc").limit(1).executeTakeFirst();
      return {
        savedTime: clock.known_at,
        newestEntryAt: newest?.at ?? null,
        confirmedLagMs: clock.confirmed_lag_ms,
      };
    },
    async saveTime(at) {
      await db
        .updateTable("clock")
        .set({ known_at: at })
        .where((where) => where.or([where("known_at", "is", null), where("known_at", "<", at)]))
        .execute();
    },
    async confirmLag(lagMs) {
      await db.updateTable("clock").set({ confirmed_lag_ms: lagMs }).execute();
    },
    async endsBetween(after, until) {
      const promo = await db
        .selectFrom("starter_grant")
        .select("wallet_id")
        .where("ends_at", ">", after)
        .where("ends_at", "<=", until)
        .limit(1)
        .executeTakeFirst();
      if (promo !== undefined) return true;
      const key = await db
        .selectFrom("charge")
        .select("id")
        .where("key_hash", "is not", null)
        .where("delivered_at", "is not", null)
        .where("delivered_at", ">", after - KEY_MS)
        .where("delivered_at", "<=", until - KEY_MS)
        .limit(1)
        .executeTakeFirst();
      return key !== undefined;
    },
  };
}
