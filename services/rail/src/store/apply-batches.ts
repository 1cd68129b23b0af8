/**
 * A procedure of SQLite's writer: finds what batches of charges will look at, lets the rules of domain/charge-batch.ts work on it and
 * writes what they changed, all in the writer's own thread and in one transaction, so that the thread that answers requests has only
 * to sign. Everything is found by a whole key, or by the beginning of one.
 *
 * What this file imports is loaded by the writer's thread too: no library of schemas, no Kysely.
 */
import type { OpenProcedures, Statements } from "@triptych/storage";
import {
  bootName,
  beginUnitOfWork,
  type Attempt,
  type Boot,
  type LedgerCharge,
  type LoadedRows,
} from "../domain/unit-of-work.ts";
import { applyBatch, type BatchOutcome, type GatewayBatch } from "../domain/charge-batch.ts";
import type { Context } from "../domain/post-entry.ts";
import { createChangeWriter } from "./write-book.ts";
import { toBoot, toCharge, toWallet } from "./rows.ts";
import type { ChargeRow, InstanceRow, WalletRow } from "./tables.ts";

export interface BatchesToApply {
  readonly batches: readonly GatewayBatch[];
  readonly context: Omit<Context, "newId">;
  /** As many of charges as there are charges; of entries as many as are likely. */
  readonly ids: { readonly ent_: readonly string[]; readonly chg_: readonly string[] };
}

/** Outcomes in the order of the batches; or there were too few ids of entries, and nothing was done. */
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

/** Behind the last one it only counts: what the rules made with that is thrown away. */
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

function finding(statements: Statements) {
  const boot = statements.prepare<InstanceRow>("select * from instance where instance = ? and boot = ?");
  const token = statements.prepare<{ wallet_id: string }>(
    "select wallet_id from wallet_token where hash = ? and (valid_until is null or valid_until > ?)",
  );
  const wallet = statements.prepare<WalletRow>("select * from wallet where id = ?");
  const attempt = statements.prepare<ChargeRow>("select * from charge where instance = ? and boot = ? and seq = ?");
  const posted = statements.prepare<ChargeRow>(
    "select * from charge where instance = ? and boot = ? and seq > ? and state = 'posted'",
  );
  const keyed = statements.prepare<ChargeRow>(
    `select * from charge
      where wallet_id = ? and op = ? and key_hash = ? and key_hash is not null and state <> 'voided'`,
  );
  const tombstone = statements.prepare<Attempt>(
    "select instance, boot, seq from forestalled where instance = ? and boot = ? and seq = ?",
  );
  return {
    boot: (instance: string, name: string) => boot.first(instance, name),
    walletId: (hash: string, now: number) => token.first(hash, now)?.wallet_id,
    wallet: (id: string) => wallet.first(id),
    attempt: ({ instance, boot, seq }: Attempt) => attempt.first(instance, boot, seq),
    posted: ({ instance, boot, through }: Boot) => posted.all(instance, boot, through),
    keyed: (walletId: string, op: string, keyHash: string) => keyed.first(walletId, op, keyHash),
    hasTombstone: ({ instance, boot, seq }: Attempt) => tombstone.first(instance, boot, seq) !== undefined,
  };
}

function loadBatches(find: Find, batches: readonly GatewayBatch[], now: number): LoadedRows {
  const boots = new Map<string, Boot>();
  const tokens = new Map<string, string>();
  const charges = new Map<string, LedgerCharge>();
  const tombstones: Attempt[] = [];
  const walletIds = new Set<string>();
  const addCharge = (row: ChargeRow | undefined, { mayBeUndone }: { readonly mayBeUndone: boolean }): void => {
    if (row === undefined) return;
    charges.set(row.id, toCharge(row));
    if (mayBeUndone) walletIds.add(row.wallet_id);
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
    // Lost when the lease has ended. What is only acknowledged is not looked at: `write` finds it.
    if (boot.leaseUntil <= now) for (const charge of find.posted(boot)) addCharge(charge, { mayBeUndone: true });
    for (const { seq } of voids) addAttempt({ instance, boot: name, seq });
    for (const { seq, walletHash, op, keyHash } of asks) {
      addAttempt({ instance, boot: name, seq });
      const walletId = tokens.get(walletHash) ?? find.walletId(walletHash, now);
      if (walletId === undefined) continue;
      tokens.set(walletHash, walletId);
      walletIds.add(walletId);
      if (keyHash !== null) addCharge(find.keyed(walletId, op, keyHash), { mayBeUndone: false });
    }
  }
  const wallets = [...walletIds].flatMap((id) => find.wallet(id) ?? []).map(toWallet);
  return { boots: [...boots.values()], tokens, charges: [...charges.values()], tombstones, wallets };
}
