/** Sub-tokens of wallets. Their spending is written with the charges (`write-changes.ts`, `change-writer.ts`). */
import { WALLET_TOKENS_MAX } from "@triptych/contracts";
import type { Database, Kysely } from "@triptych/storage";
import { NO_SPEND } from "../domain/caps.ts";
import type { SubTokenLedger, SubTokenRecord } from "../domain/sub-tokens.ts";
import { inTransaction } from "./commit.ts";
import { lockWallet, subTokenRows } from "./load.ts";
import type { RailTables, SubTokenRow, TokenBudgetRow } from "./tables.ts";
import { spendRow, toSubToken } from "./wallet-rows.ts";
import type { Tx } from "./write-changes.ts";

export function subTokenVerbs(database: Database<RailTables>): SubTokenLedger {
  const { db } = database;
  return {
    createSubToken: (token) => inTransaction(database, (tx) => subTokensIn(tx).createSubToken(token)),
    subToken: (id) => subTokenOf(db, id),
    async subTokens(walletId, { before, limit }) {
      const rows = await subTokenRows(db)
        .where("wallet_id", "=", walletId)
        .$if(before !== null, (query) => query.where("id", "<", before))
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
      return rows.map(toRecord);
    },
    revokeSubToken: (walletId, id, now) =>
      inTransaction(database, async (tx) => {
        // Charges that hold the lock commit before the revocation.
        await lockWallet(tx, walletId);
        const revoked = await tx
          .updateTable("sub_token")
          .set({ revoked_at: now })
          .where("id", "=", id)
          .where("wallet_id", "=", walletId)
          .where("revoked_at", "is", null)
          .returning("hash")
          .executeTakeFirst();
        if (revoked === undefined) return false;
        await tx.deleteFrom("wallet_token").where("hash", "=", revoked.hash).execute();
        return true;
      }),
  };
}

export function subTokensIn(tx: Tx): Pick<SubTokenLedger, "createSubToken"> {
  return {
    async createSubToken({ id, walletId, tokenHash, hint, name, caps, ops, expiresAt, now }) {
      const wallet = await lockWallet(tx, walletId);
      if (wallet === null || wallet.status === "closed") return "closed";
      // Count under the wallet's lock, so that of two concurrent creations the later one sees the first.
      const { active } = await tx
        .selectFrom("sub_token")
        .select((query) => query.fn.countAll<number>().as("active"))
        .where("wallet_id", "=", walletId)
        .where("revoked_at", "is", null)
        .where((where) => where.or([where("expires_at", "is", null), where("expires_at", ">", now)]))
        .executeTakeFirstOrThrow();
      if (active >= WALLET_TOKENS_MAX) return "too_many";
      const row: SubTokenRow = {
        id,
        wallet_id: walletId,
        hash: tokenHash,
        hint,
        name,
        created_at: now,
        expires_at: expiresAt,
        revoked_at: null,
      };
      const budget: TokenBudgetRow = {
        token_id: id,
        ops: ops === null ? null : JSON.stringify(ops),
        per_charge_micro: caps.per_charge,
        per_day_micro: caps.per_day,
        per_month_micro: caps.per_month,
        total_micro: caps.total,
        ...spendRow(NO_SPEND),
      };
      await tx.insertInto("sub_token").values(row).execute();
      await tx.insertInto("token_budget").values(budget).execute();
      const token = { hash: tokenHash, wallet_id: walletId, created_at: now, valid_until: expiresAt, token_id: id };
      await tx.insertInto("wallet_token").values(token).execute();
      return toRecord({ ...row, ...budget });
    },
  };
}

export async function subTokenOf(db: Kysely<RailTables>, id: string): Promise<SubTokenRecord | null> {
  const row = await subTokenRows(db).where("id", "=", id).executeTakeFirst();
  return row === undefined ? null : toRecord(row);
}

function toRecord(row: SubTokenRow & TokenBudgetRow): SubTokenRecord {
  return {
    ...toSubToken(row),
    hint: row.hint,
    name: row.name,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
  };
}
