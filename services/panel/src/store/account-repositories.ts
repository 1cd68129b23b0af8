import type {
  AccountRepository,
  LicenseRepository,
  IdempotencyStore,
  TokenRepository,
} from "../domain/repositories.ts";
import { toAccount, toToken, tokenRow } from "./rows.ts";
import type { Db } from "./tables.ts";

export function createAccountRepository(db: Db, owner: string): AccountRepository {
  const mine = () => db.updateTable("account").where("owner", "=", owner);
  return {
    async read() {
      const row = db.selectFrom("account").selectAll().where("owner", "=", owner);
      return toAccount(await row.executeTakeFirstOrThrow());
    },
    async setPlan(plan) {
      await mine().set({ plan }).execute();
    },
    async setStatus(status) {
      await mine().set({ status }).execute();
    },
    async setPassword(password) {
      await mine().set({ password }).execute();
      await db.deleteFrom("session").where("owner", "=", owner).execute();
    },
    async openSession({ hash, createdAt, seenAt }) {
      await db.insertInto("session").values({ owner, hash, created_at: createdAt, seen_at: seenAt }).execute();
    },
    async touchSession(hash, seenAt) {
      await db
        .updateTable("session")
        .set({ seen_at: seenAt })
        .where("owner", "=", owner)
        .where("hash", "=", hash)
        .execute();
    },
    async endSessions(hash) {
      const all = db.deleteFrom("session").where("owner", "=", owner);
      await (hash === null ? all : all.where("hash", "=", hash)).execute();
    },
    async addLink({ hash, expiresAt }) {
      await db.insertInto("sign_in_link").values({ owner, hash, expires_at: expiresAt }).execute();
    },
    async note({ id, what, at }) {
      await db.insertInto("audit").values({ owner, id, what, at }).execute();
    },
  };
}

export function createTokenRepository(db: Db, owner: string): TokenRepository {
  const mine = () => db.selectFrom("api_token").selectAll().where("owner", "=", owner);
  return {
    async list({ below, limit }) {
      const query = below === null ? mine() : mine().where("id", "<", below);
      return (await query.orderBy("id", "desc").limit(limit).execute()).map(toToken);
    },
    async find(id) {
      const row = await mine().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : toToken(row);
    },
    async add(token) {
      await db.insertInto("api_token").values(tokenRow(owner, token)).execute();
    },
    async remove(id) {
      const statement = db.deleteFrom("api_token").where("owner", "=", owner).where("id", "=", id);
      return Number((await statement.executeTakeFirst()).numDeletedRows) > 0;
    },
  };
}

export function createLicenseRepository(db: Db, owner: string): LicenseRepository {
  return {
    async read() {
      const mine = db.selectFrom("license_key").selectAll().where("owner", "=", owner);
      const { hash, sealed, generation, rotated_at } = await mine.executeTakeFirstOrThrow();
      return { hash, sealed, generation, rotatedAt: rotated_at };
    },
    async replace({ hash, sealed, generation, rotatedAt }) {
      const columns = { hash, sealed, generation, rotated_at: rotatedAt };
      await db.updateTable("license_key").set(columns).where("owner", "=", owner).execute();
    },
  };
}

export function createIdempotencyStore(db: Db, owner: string): IdempotencyStore {
  return {
    async find(key, now) {
      const mine = db.selectFrom("idempotency").selectAll().where("owner", "=", owner).where("key", "=", key);
      const row = await mine.where("expires_at", ">", now).executeTakeFirst();
      return row === undefined ? null : { key, payload: row.payload, answer: row.answer, expiresAt: row.expires_at };
    },
    async keep({ key, payload, answer, expiresAt }) {
      const row = { owner, key, payload, answer, expires_at: expiresAt };
      await db
        .insertInto("idempotency")
        .values(row)
        .onConflict((conflict) => conflict.columns(["owner", "key"]).doUpdateSet(row))
        .execute();
    },
  };
}
