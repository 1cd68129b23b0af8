/** Idempotency records. The row is written first, so that a concurrent call with the same key waits for the commit. */
import type { Database } from "@triptych/storage";
import type { Once } from "../domain/heads/head-store.ts";
import type { RouterTables, Tx } from "./tables.ts";

export interface OnceBefore {
  readonly owner: string;
  readonly operation: "create" | "feedback";
  readonly once: Once;
  readonly now: number;
}

export interface OnceCall extends OnceBefore {
  readonly result: string;
}

/** `result`: created by this call or by an earlier one. */
export type OnceTaken =
  | { readonly kind: "first" | "replayed"; readonly result: string }
  | { readonly kind: "other_payload" };

export async function takeOnce(tx: Tx, { owner, operation, once, result, now }: OnceCall): Promise<OnceTaken> {
  const { key, payload, expiresAt } = once;
  const row = { owner, operation, key, payload, result, expires_at: expiresAt };
  const inserted = await tx
    .insertInto("head_once")
    .values(row)
    .onConflict((conflict) => conflict.columns(["owner", "operation", "key"]).doNothing())
    .executeTakeFirst();
  if (Number(inserted.numInsertedOrUpdatedRows ?? 0n) > 0) return { kind: "first", result };

  const before = await onceBefore(tx, { owner, operation, once, now });
  if (before !== null) return before;
  await tx
    .insertInto("head_once")
    .values(row)
    .onConflict((conflict) => conflict.columns(["owner", "operation", "key"]).doUpdateSet(row))
    .execute();
  return { kind: "first", result };
}

export async function onceBefore(
  db: Pick<Database<RouterTables>["db"], "selectFrom">,
  { owner, operation, once: { key, payload }, now }: OnceBefore,
): Promise<OnceTaken | null> {
  const existing = await db
    .selectFrom("head_once")
    .selectAll()
    .where("owner", "=", owner)
    .where("operation", "=", operation)
    .where("key", "=", key)
    .executeTakeFirst();
  if (existing === undefined || existing.expires_at <= now) return null;
  return existing.payload === payload ? { kind: "replayed", result: existing.result } : { kind: "other_payload" };
}
