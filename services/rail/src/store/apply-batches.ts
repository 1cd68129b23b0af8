/**
 * A procedure in SQLite's writer thread: loads the rows of charge batches, applies domain/charge-batch.ts and writes
 * the changes in one transaction. The main thread only signs receipts. All lookups use a full key or a key prefix. The
 * writer thread loads all imports, so do not import the schema library or Kysely.
 */
import type { OpenProcedures, Statements } from "@triptych/storage";
import {
  bootName,
  beginUnitOfWork,
  type Attempt,
  type Boot,
  type ClientKey,
  type LedgerCharge,
  type LoadedRows,
  type SubToken,
} from "../domain/unit-of-work.ts";
import { applyBatch, type BatchOutcome, type GatewayBatch } from "../domain/charge-batch.ts";
import type { Context } from "../domain/post-entry.ts";
import { createChangeWriter } from "./change-writer.ts";
import { toBoot, toCharge } from "./rows.ts";
import type { CappedRow, ChargeRow, InstanceRow, WalletRow } from "./tables.ts";
import { toSubToken, toWallet } from "./wallet-rows.ts";

export interface BatchesToApply {
  readonly batches: readonly GatewayBatch[];
  readonly context: Omit<Context, "newId">;
  /** One charge ID per charge, and an estimated number of entry IDs. */
  readonly ids: { readonly ent_: readonly string[]; readonly chg_: readonly string[] };
}

/** Outcomes in the order of the batches. If there were too few entry IDs, nothing was applied. */
export type Applied = { readonly outcomes: readonly BatchOutcome[] } | { readonly entriesNeeded: number };

export const procedures: OpenProcedures = (statements) => {
  const find = finding(statements);
  const write = createChangeWriter(statements);
  return {
    applyBatches({ batches, context, ids }: BatchesToApply): Applied {
      const allocator = createIdAllocator(ids);
      const unit = beginUnitOfWork(loadBatches(find, batches, context.now));
      const outcomes = batches.map((batch) => applyBatch(unit, batch, { ...context, newId: allocator.newId }));
      if (allocator.entries() > ids.ent_.length) return { entriesNeeded: allocator.entries() };

      write(unit.changes(), context.now);
      return { outcomes };
    },
  };
};

/** After the last ID it only counts, and the result is discarded. */
function createIdAllocator(ids: BatchesToApply["ids"]) {
  const used = { ent_: 0, chg_: 0 };
  return {
    newId(prefix: string): string {
      const kind = prefix === "chg_" ? "chg_" : "ent_";
      const index = used[kind];
      used[kind] += 1;
      return ids[kind][index] ?? `${prefix}${index}`;
    },
    entries: () => used.ent_,
  };
}

type Find = ReturnType<typeof finding>;

/** A valid token: the wallet's main token, or a sub-token with its caps. */
type TokenRow = CappedRow | { readonly wallet_id: string; readonly token_id: null };

function finding(statements: Statements) {
  const boot = statements.prepare<InstanceRow>("select * from instance where instance = ? and boot = ?");
  const token = statements.prepare<TokenRow>(
    `select t.wallet_id, t.hash, b.*
       from wallet_token as t left join token_budget as b on b.token_id = t.token_id
      where t.hash = ? and (t.valid_until is null or t.valid_until > ?)`,
  );
  const subToken = statements.prepare<CappedRow>(
    `select s.wallet_id, s.hash, b.* from token_budget as b join sub_token as s on s.id = b.token_id where b.token_id = ?`,
  );
  const wallet = statements.prepare<WalletRow>("select * from wallet where id = ?");
  const attempt = statements.prepare<ChargeRow>("select * from charge where instance = ? and boot = ? and seq = ?");
  const posted = statements.prepare<ChargeRow>(
    "select * from charge where instance = ? and boot = ? and seq > ? and state = 'posted'",
  );
  const keyed = statements.prepare<ChargeRow>(
    `select * from charge
      where wallet_id = ? and op = ? and key_hash = ? and key_hash is not null and state <> 'voided'
        and token_id is ?`,
  );
  const tombstone = statements.prepare<Attempt>(
    "select instance, boot, seq from forestalled where instance = ? and boot = ? and seq = ?",
  );
  return {
    boot: (instance: string, name: string) => boot.first(instance, name),
    token: (hash: string, now: number) => token.first(hash, now),
    subToken: (id: string) => subToken.first(id),
    wallet: (id: string) => wallet.first(id),
    attempt: ({ instance, boot, seq }: Attempt) => attempt.first(instance, boot, seq),
    posted: ({ instance, boot, through }: Boot) => posted.all(instance, boot, through),
    keyed: ({ walletId, tokenId, op, keyHash }: ClientKey) => keyed.first(walletId, op, keyHash, tokenId),
    hasTombstone: ({ instance, boot, seq }: Attempt) => tombstone.first(instance, boot, seq) !== undefined,
  };
}

function loadBatches(find: Find, batches: readonly GatewayBatch[], now: number): LoadedRows {
  const boots = new Map<string, Boot>();
  const tokens = new Map<string, string>();
  const found = new Map<string, TokenRow>();
  const charges = new Map<string, LedgerCharge>();
  const tombstones: Attempt[] = [];
  const walletIds = new Set<string>();
  const subTokens = new Map<string, SubToken>();
  const addCharge = (row: ChargeRow | undefined, { mayBeUndone }: { readonly mayBeUndone: boolean }): void => {
    if (row === undefined) return;
    charges.set(row.id, toCharge(row));
    if (!mayBeUndone) return;
    walletIds.add(row.wallet_id);
    const paying = row.token_id === null || subTokens.has(row.token_id) ? undefined : find.subToken(row.token_id);
    if (paying !== undefined) subTokens.set(paying.token_id, toSubToken(paying));
  };
  const addAttempt = (attempt: Attempt): void => {
    addCharge(find.attempt(attempt), { mayBeUndone: true });
    if (find.hasTombstone(attempt)) tombstones.push(attempt);
  };

  for (const { instance, boot: name, voids, charges: asks } of batches) {
    const row = find.boot(instance, name);
    if (row === undefined) continue;
    const boot = toBoot(row);
    boots.set(bootName(boot), boot);
    // Needed for an expired lease. Acknowledged charges are not loaded, because `write` updates them.
    if (boot.leaseUntil <= now) for (const charge of find.posted(boot)) addCharge(charge, { mayBeUndone: true });
    for (const { seq } of voids) addAttempt({ instance, boot: name, seq });
    for (const { seq, walletHash, op, keyHash } of asks) {
      addAttempt({ instance, boot: name, seq });
      const token = found.get(walletHash) ?? find.token(walletHash, now);
      if (token === undefined) continue;
      found.set(walletHash, token);
      const { wallet_id: walletId, token_id: tokenId } = token;
      tokens.set(walletHash, walletId);
      walletIds.add(walletId);
      if (token.token_id !== null && !subTokens.has(token.token_id)) subTokens.set(token.token_id, toSubToken(token));
      if (keyHash !== null) addCharge(find.keyed({ walletId, tokenId, op, keyHash }), { mayBeUndone: false });
    }
  }
  const wallets = [...walletIds].flatMap((id) => find.wallet(id) ?? []).map(toWallet);
  return {
    boots: [...boots.values()],
    tokens,
    subTokens: [...subTokens.values()],
    charges: [...charges.values()],
    tombstones,
    wallets,
  };
}
