/**
 * Every change first takes the next sequence number. Its row stays locked until commit (on SQLite, there is one
 * writer), so changes are serialized and readers of "after n" miss none.
 */
import type { Database } from "@triptych/storage";
import { sql, type Transaction } from "@triptych/storage";
import type { DailyItems, ApiKey } from "../key-record.ts";
import type { KeyChange, KeyStore, StoredSecret } from "../key-store.ts";

/** The tables of keys, created by the migrations of usage-metering: bills reference them. */
export interface ApiKeyTables {
  readonly api_key: ApiKeyTable;
  readonly api_key_secret: ApiKeySecretTable;
  readonly api_key_sequence: { single: number; value: number };
}

interface ApiKeyTable {
  id: string;
  name: string;
  plan: string;
  test: number;
  daily_items: number | null;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  rotated_at: number | null;
  changed: number;
}

interface ApiKeySecretTable {
  hash: string;
  key_id: string;
  created_at: number;
  valid_until: number | null;
}

type Tx = Transaction<ApiKeyTables>;

const CHANNEL = "metering_keys";

/** Keys per read; a page has a few hundred kilobytes. */
const PAGE = 1000;

const NO_CAP = -1;

export function openKeyStore(database: Database<ApiKeyTables>): KeyStore {
  const { db } = database;

  return {
    async add(key, secretHash) {
      await database.transaction(async (tx) => {
        const changed = await nextNumber(tx);
        await tx
          .insertInto("api_key")
          .values({ id: key.id, test: key.test ? 1 : 0, created_at: key.createdAt, changed, ...columnsOf(key) })
          .execute();
        await addSecret(tx, key.id, secretHash, key.createdAt);
      });
      await database.notify(CHANNEL);
    },

    find: (id) => findKey(db, id),

    async list({ after, limit }) {
      const rows = await db
        .selectFrom("api_key")
        .selectAll()
        .where("id", ">", after ?? "")
        .orderBy("id")
        .limit(limit)
        .execute();
      return rows.map(toKey);
    },

    async change(id, decide) {
      const changed = await database.transaction(async (tx) => {
        const number = await nextNumber(tx);
        const key = await findKey(tx, id);
        if (key === undefined) return undefined;

        await apply(tx, { key, number, change: decide(key) });
        return await findKey(tx, id);
      });
      if (changed !== undefined) await database.notify(CHANNEL);
      return changed;
    },

    changedSince: (sequence) =>
      // Reads keys and secrets in one snapshot: otherwise a concurrent rotation could hide the newest secret.
      database.snapshot(async (tx) => {
        const rows = await tx
          .selectFrom("api_key")
          .selectAll()
          .where("changed", ">", sequence)
          .orderBy("changed")
          .limit(PAGE)
          .execute();
        const secrets = await secretsOf(
          tx,
          rows.map((row) => row.id),
        );
        const keys = rows.map((row) => ({ key: toKey(row), secrets: secrets.get(row.id) ?? [] }));
        return { keys, sequence: rows.at(-1)?.changed ?? sequence, more: rows.length === PAGE };
      }),

    watch: (onChange) => database.listen(CHANNEL, () => onChange()),
  };
}

async function nextNumber(tx: Tx): Promise<number> {
  const { value } = await tx
    .insertInto("api_key_sequence")
    .values({ single: 1, value: 1 })
    .onConflict((conflict) => conflict.column("single").doUpdateSet({ value: sql`api_key_sequence.value + 1` }))
    .returning("value")
    .executeTakeFirstOrThrow();
  return value;
}

async function findKey(db: Pick<Tx, "selectFrom">, id: string): Promise<ApiKey | undefined> {
  const row = await db.selectFrom("api_key").selectAll().where("id", "=", id).executeTakeFirst();
  return row && toKey(row);
}

async function apply(
  tx: Tx,
  { key, number, change }: { key: ApiKey; number: number; change: KeyChange },
): Promise<void> {
  await tx
    .updateTable("api_key")
    .set({ ...columnsOf({ ...key, ...change.set }), changed: number })
    .where("id", "=", key.id)
    .execute();
  if (change.rotate === undefined) return;

  const { hash, at, othersUntil } = change.rotate;
  await tx
    .updateTable("api_key_secret")
    .set({ valid_until: othersUntil })
    .where("key_id", "=", key.id)
    .where((where) => where.or([where("valid_until", "is", null), where("valid_until", ">", othersUntil)]))
    .execute();
  await addSecret(tx, key.id, hash, at);
}

async function addSecret(tx: Tx, keyId: string, hash: string, at: number): Promise<void> {
  await tx.insertInto("api_key_secret").values({ hash, key_id: keyId, created_at: at, valid_until: null }).execute();
}

async function secretsOf(tx: Tx, keyIds: readonly string[]): Promise<Map<string, StoredSecret[]>> {
  const found = new Map<string, StoredSecret[]>();
  if (keyIds.length === 0) return found;

  const rows = await tx.selectFrom("api_key_secret").selectAll().where("key_id", "in", keyIds).execute();
  for (const { key_id: keyId, hash, created_at: createdAt, valid_until: validUntil } of rows) {
    const secrets = found.get(keyId) ?? [];
    secrets.push({ hash, createdAt, validUntil });
    found.set(keyId, secrets);
  }
  return found;
}

function toKey(row: ApiKeyTables["api_key"]): ApiKey {
  return {
    id: row.id,
    name: row.name,
    plan: row.plan,
    test: row.test === 1,
    dailyItems: toDailyItems(row.daily_items),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    rotatedAt: row.rotated_at,
  };
}

function columnsOf(key: ApiKey) {
  return {
    name: key.name,
    plan: key.plan,
    daily_items: fromDailyItems(key.dailyItems),
    expires_at: key.expiresAt,
    revoked_at: key.revokedAt,
    rotated_at: key.rotatedAt,
  };
}

function toDailyItems(stored: number | null): DailyItems {
  if (stored === null) return "plan";
  return stored === NO_CAP ? "none" : stored;
}

function fromDailyItems(items: DailyItems): number | null {
  if (items === "plan") return null;
  return items === "none" ? NO_CAP : items;
}
