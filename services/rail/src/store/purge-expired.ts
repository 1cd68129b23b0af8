/**
 * Purges temporary rows, but never rows of the ledger: client keys, stored responses, names of create calls, rotated
 * tokens, tombstones, ended boots. Each statement uses an index and a limit.
 */
import type { Database } from "@triptych/storage";
import type { RailTables } from "./tables.ts";

/** How long a key replays its response after delivery. */
export const KEY_DAYS = 7;

const DAY_MS = 86_400_000;

export async function purgeExpired({ db }: Database<RailTables>, now: number, limit: number): Promise<number> {
  const before = now - KEY_DAYS * DAY_MS;
  const freed = await db
    .updateTable("charge")
    .set({ key_hash: null })
    .where("id", "in", (query) =>
      query
        .selectFrom("charge")
        .select("id")
        .where("key_hash", "is not", null)
        .where("delivered_at", "is not", null)
        .where("delivered_at", "<=", before)
        .orderBy("delivered_at")
        .limit(limit),
    )
    .executeTakeFirst();
  // IDs ascend with time, so the oldest come first. Reads only as many as may be removed.
  const responses = await db
    .deleteFrom("response")
    .where("created_at", "<=", before)
    .where("charge_id", "in", (query) =>
      query
        .selectFrom(query.selectFrom("response").select("charge_id").orderBy("charge_id").limit(limit).as("oldest"))
        .select("charge_id"),
    )
    .executeTakeFirst();
  const names = await db
    .deleteFrom("once")
    .where("name", "in", (query) =>
      query.selectFrom("once").select("name").where("expires_at", "<=", now).orderBy("expires_at").limit(limit),
    )
    .executeTakeFirst();
  const tokens = await db
    .deleteFrom("wallet_token")
    .where("hash", "in", (query) =>
      query
        .selectFrom("wallet_token")
        .select("hash")
        .where("valid_until", "is not", null)
        .where("valid_until", "<=", now)
        .orderBy("valid_until")
        .limit(limit),
    )
    .executeTakeFirst();
  const attempts = await removeTombstones(db, limit);
  const boots = await removeBoots(db, before, limit);
  const changed = [freed.numUpdatedRows, responses, names, tokens, attempts, boots];
  return changed.reduce<number>(
    (sum, result) => sum + Number(typeof result === "bigint" ? result : result.numDeletedRows),
    0,
  );
}

/** Attempts up to the watermark or of a fenced boot are rejected even without tombstones. */
function removeTombstones(db: Database<RailTables>["db"], limit: number) {
  return db
    .deleteFrom("forestalled")
    .where((where) =>
      where(
        where.refTuple("instance", "boot", "seq"),
        "in",
        where
          .selectFrom("forestalled as f")
          .innerJoin("instance as i", (join) =>
            join.onRef("i.instance", "=", "f.instance").onRef("i.boot", "=", "f.boot"),
          )
          .where((or) => or.or([or("i.state", "=", "fenced"), or("f.seq", "<=", or.ref("i.through"))]))
          .select(["f.instance", "f.boot", "f.seq"])
          .limit(limit)
          .$asTuple("instance", "boot", "seq"),
      ),
    )
    .executeTakeFirst();
}

/**
 * Removes fenced boots whose lease ended before this time, whose tombstones are gone and whose charges are finished. If
 * such a boot returns, it is unknown, so its batches are rejected as fenced; its hello is recognized by its charges.
 * The table holds a few days of boots, which is small enough to scan.
 */
function removeBoots(db: Database<RailTables>["db"], before: number, limit: number) {
  return db
    .deleteFrom("instance")
    .where((where) =>
      where(
        where.refTuple("instance", "boot"),
        "in",
        where
          .selectFrom("instance as i")
          .where("i.state", "=", "fenced")
          .where("i.lease_until", "<=", before)
          .where((open) =>
            open.not(
              open.exists(
                open
                  .selectFrom("charge as c")
                  .select("c.id")
                  .whereRef("c.instance", "=", "i.instance")
                  .whereRef("c.boot", "=", "i.boot")
                  .where("c.state", "=", "posted"),
              ),
            ),
          )
          .where((open) =>
            open.not(
              open.exists(
                open
                  .selectFrom("forestalled as f")
                  .select("f.seq")
                  .whereRef("f.instance", "=", "i.instance")
                  .whereRef("f.boot", "=", "i.boot"),
              ),
            ),
          )
          .select(["i.instance", "i.boot"])
          .limit(limit)
          .$asTuple("instance", "boot"),
      ),
    )
    .executeTakeFirst();
}
