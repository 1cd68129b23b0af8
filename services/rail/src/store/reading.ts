import { setImmediate } from "node:timers/promises";
import type { UsageBucket } from "@triptych/contracts";
import { sql, type Database, type Kysely } from "@triptych/storage";
import type { Ledger } from "../domain/ledger.ts";
import { toEntry } from "./rows.ts";
import type { EntryRow, RailTables } from "./tables.ts";

type ReadingVerbs = Pick<Ledger, "entries" | "firstSince" | "usage">;

type Reads = Kysely<RailTables>;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Tolerance for clocks that were set back. Entries are ordered by number, and their times nearly always ascend. A
 * period is therefore found by binary search, widened by this on both ends, and then filtered by row.
 */
const CLOCK_SLACK_MS = HOUR_MS;

/** Entries read by one statement, which takes a few milliseconds. A busy wallet may have millions. */
const READ_AT_ONCE = 5_000;

const NONE = { decisions: 0, amountMicro: 0 };

export function readingVerbs({ db }: Database<RailTables>, readAtOnce = READ_AT_ONCE): ReadingVerbs {
  return {
    async entries(walletId, { tokenId = null, kinds, since, until, before, limit }) {
      const from = since === null ? 1 : await seqAt(db, walletId, since - CLOCK_SLACK_MS);
      const to = until === null ? null : await seqAt(db, walletId, until + CLOCK_SLACK_MS);
      const below = Math.min(before ?? Infinity, to ?? (await lastSeq(db, walletId)) + 1);
      const found: EntryRow[] = [];
      // The entries of a token are among those of its wallet, which may have many more.
      const portion = tokenId === null ? below : readAtOnce;
      for (let end = below; end > from && found.length < limit; end -= portion) {
        const rows = await db
          .selectFrom("entry")
          .selectAll()
          .where("wallet_id", "=", walletId)
          .where("seq", ">=", Math.max(from, end - portion))
          .where("seq", "<", end)
          .$if(tokenId !== null, (query) => query.where("token_id", "=", tokenId))
          .$if(kinds.length > 0, (query) => query.where("kind", "in", kinds))
          .$if(kinds.length > 0 && !kinds.includes("charge"), (query) => query.where("kind", "<>", "charge"))
          .$if(since !== null, (query) => query.where("created_at", ">=", since))
          .$if(until !== null, (query) => query.where("created_at", "<", until))
          .orderBy("seq", "desc")
          .limit(limit - found.length)
          .execute();
        found.push(...rows);
        // Embedded reads block this thread, so yield between chunks.
        if (tokenId !== null) await setImmediate();
      }
      return found.map(toEntry);
    },
    async firstSince(walletId, at) {
      const row = await db
        .selectFrom("entry")
        .select("seq")
        .where("wallet_id", "=", walletId)
        .where("seq", ">=", await seqAt(db, walletId, at - CLOCK_SLACK_MS))
        .where("created_at", ">=", at)
        .orderBy("seq")
        .limit(1)
        .executeTakeFirst();
      return row?.seq ?? null;
    },

    async usage(walletId, { from, to, by, tokenId = null }) {
      const end = await seqAt(db, walletId, to + CLOCK_SLACK_MS);
      const sums = new Map<string | number, { decisions: number; amountMicro: number }>();
      for (let seq = await seqAt(db, walletId, from - CLOCK_SLACK_MS); seq < end; seq += readAtOnce) {
        const { rows } = await sql<{ bucket: string | number; decisions: number; amount: number }>`
          select ${bucketOf(by)} as bucket,
                 count(*) as decisions, sum(c.amount_micro) as amount
            from entry as e join charge as c on c.id = e.charge_id
           where e.wallet_id = ${walletId} and e.seq >= ${seq} and e.seq < ${Math.min(end, seq + readAtOnce)}
             and e.kind = 'charge' and e.created_at >= ${from} and e.created_at < ${to}
             and c.state in ('posted', 'delivered') and ${tokenId === null ? sql`true` : sql`e.token_id = ${tokenId}`}
           group by 1`.execute(db);
        for (const { bucket, decisions, amount } of rows) {
          const { decisions: before, amountMicro } = sums.get(bucket) ?? NONE;
          sums.set(bucket, { decisions: before + decisions, amountMicro: amountMicro + amount });
        }
        // Embedded reads block this thread, so yield between chunks.
        await setImmediate();
      }
      const ordered = [...sums].toSorted(([first], [other]) => (first < other ? -1 : 1));
      return ordered.map(([bucket, sum]) => ({ bucket: nameOf(bucket, by), ...sum }));
    },
  };
}

/** The first entry at or after `at`, assuming that times ascend with numbers; the last number + 1 if all are older. */
async function seqAt(db: Reads, walletId: string, at: number): Promise<number> {
  let low = 1;
  let high = (await lastSeq(db, walletId)) + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const entry = await db
      .selectFrom("entry")
      .select("created_at")
      .where("wallet_id", "=", walletId)
      .where("seq", "=", middle)
      .executeTakeFirst();
    if (entry !== undefined && entry.created_at < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

async function lastSeq(db: Reads, walletId: string): Promise<number> {
  const wallet = await db.selectFrom("wallet").select("seq").where("id", "=", walletId).executeTakeFirst();
  return wallet?.seq ?? 0;
}

function bucketOf(by: UsageBucket) {
  if (by === "op") return sql`c.op`;
  return by === "token" ? sql`coalesce(e.token_id, 'main')` : sql`e.created_at / ${sql.lit(unitOf(by))}`;
}

function unitOf(by: Exclude<UsageBucket, "op" | "token">): number {
  return by === "day" ? DAY_MS : HOUR_MS;
}

function nameOf(bucket: string | number, by: UsageBucket): string {
  if (by === "op" || by === "token" || typeof bucket === "string") return String(bucket);
  const start = new Date(bucket * unitOf(by)).toISOString();
  return by === "day" ? start.slice(0, 10) : start;
}
