import { RUN_STATES } from "@triptych/contracts";
import { isUniqueViolation, type Database } from "@triptych/storage";
import { isTerminal } from "../domain/run-states.ts";
import type { SystemQueries } from "../domain/repositories.ts";
import { createFollowUpQueries } from "./follow-up-repository.ts";
import { createDeliveryQueries } from "./delivery-repositories.ts";
import { takeDueSchedules } from "./schedule-repository.ts";
import { toCheck } from "./check-repository.ts";
import { createQueryCache } from "./query-cache.ts";
import { toAccount, toRun, toToken, tokenRow } from "./rows.ts";
import type { PanelTables } from "./tables.ts";

const UNENDED = RUN_STATES.filter((state) => !isTerminal(state));

export function createSystemQueries(database: Database<PanelTables>): SystemQueries {
  const { db } = database;
  const tokens = createQueryCache<Awaited<ReturnType<SystemQueries["byToken"]>>>(database);
  const accountOf = async (owner: string) => {
    const row = await db.selectFrom("account").selectAll().where("owner", "=", owner).executeTakeFirst();
    return row === undefined ? null : toAccount(row);
  };
  return {
    async bySession(hash) {
      const row = await db.selectFrom("session").selectAll().where("hash", "=", hash).executeTakeFirst();
      const account = row === undefined ? null : await accountOf(row.owner);
      if (row === undefined || account === null) return null;
      return { account, session: { hash, createdAt: row.created_at, seenAt: row.seen_at } };
    },
    // Cached: every request with a token runs it.
    byToken: (hash) => tokens(hash, () => byToken(database, hash)),
    async byEmail(email) {
      const row = await db.selectFrom("account").selectAll().where("email", "=", email).executeTakeFirst();
      return row === undefined ? null : { account: toAccount(row), password: row.password };
    },
    async byLicense(hash) {
      const row = await db.selectFrom("license_key").select("owner").where("hash", "=", hash).executeTakeFirst();
      return row === undefined ? null : accountOf(row.owner);
    },
    async takeLink(hash, now) {
      const statement = db.deleteFrom("sign_in_link").where("hash", "=", hash).where("expires_at", ">", now);
      const taken = await statement.returning("owner").executeTakeFirst();
      return taken === undefined ? null : accountOf(taken.owner);
    },
    createAccount: (account) => createAccount(database, account),
    async isEmpty() {
      return (await db.selectFrom("account").select("owner").limit(1).executeTakeFirst()) === undefined;
    },
    ...createFollowUpQueries(db),
    ...createDeliveryQueries(db),
    takeDueSchedules: (take) => takeDueSchedules(database, take),
    countRuns: () =>
      db
        .selectFrom("run")
        .select((eb) => ["state", eb.fn.countAll<number>().as("count")])
        .where("state", "in", UNENDED)
        .groupBy("state")
        .execute(),
    async runOfToken({ owner, runId }) {
      const account = await accountOf(owner);
      const mine = db.selectFrom("run").selectAll().where("owner", "=", owner);
      const row = await mine.where("id", "=", runId).executeTakeFirst();
      return account === null || row === undefined ? null : { account, run: toRun(row) };
    },
    async checkOfToken({ owner, repoId, checkId }) {
      const account = await accountOf(owner);
      const mine = db.selectFrom("repo_check").selectAll().where("owner", "=", owner);
      const row = await mine.where("repo_id", "=", repoId).where("id", "=", checkId).executeTakeFirst();
      return account === null || row === undefined ? null : { account, check: toCheck(row) };
    },
    agedRuns: (queuedBefore, most) =>
      db
        .selectFrom("run")
        .select(["owner", "id"])
        .where("state", "=", "queued")
        .where("queued_at", "<=", queuedBefore)
        .orderBy("queued_at")
        .limit(most)
        .execute(),
  };
}

async function byToken({ db }: Database<PanelTables>, hash: string) {
  const row = await db
    .selectFrom("api_token as token")
    .innerJoin("account", "account.owner", "token.owner")
    .select(["token.id", "token.hash", "token.name", "token.scopes", "token.created_at", "token.expires_at"])
    .select(["account.owner", "account.email", "account.plan", "account.status"])
    .select("account.created_at as account_created_at")
    .where("token.hash", "=", hash)
    .executeTakeFirst();
  if (row === undefined) return null;
  return { account: toAccount({ ...row, created_at: row.account_created_at }), token: toToken(row) };
}

/** False if the address is taken. */
async function createAccount(
  database: Database<PanelTables>,
  { account, password, license, token }: Parameters<SystemQueries["createAccount"]>[0],
): Promise<boolean> {
  const { id: owner, email, plan, status, createdAt } = account;
  const { hash, sealed, generation, rotatedAt } = license;
  try {
    await database.transaction(async (tx) => {
      const row = { owner, email, password, plan, status, created_at: createdAt, revision: 1 };
      await tx.insertInto("account").values(row).execute();
      await tx.insertInto("license_key").values({ owner, hash, sealed, generation, rotated_at: rotatedAt }).execute();
      await tx.insertInto("api_token").values(tokenRow(owner, token)).execute();
    });
    return true;
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
}
