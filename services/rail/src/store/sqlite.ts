/**
 * The hot path on SQLite: a batch is one procedure in the writer thread (apply-batches.ts), so one message and one
 * reply for any number of rows.
 */
import type { ProcedureName, Procedures } from "@triptych/storage";
import type { BatchOutcome, GatewayBatch } from "../domain/charge-batch.ts";
import type { Context } from "../domain/post-entry.ts";
import type { Applied, BatchesToApply } from "./apply-batches.ts";
import { repeatedly } from "./commit.ts";
import { idPool } from "./id-pool.ts";

const APPLY_BATCHES: ProcedureName = { module: new URL("./apply-batches.ts", import.meta.url), name: "applyBatches" };

export async function applyBatches(
  procedures: Procedures,
  batches: readonly GatewayBatch[],
  context: Context,
): Promise<readonly BatchOutcome[]> {
  const stock = idPool(context);
  const { now, expiryTime, issuer, kid, revenue } = context;
  const charges = batches.reduce((sum, batch) => sum + batch.charges.length, 0);
  const voids = batches.reduce((sum, batch) => sum + batch.voids.length, 0);
  // This estimate is rarely too low: an expired lease reverses any number of charges, and promo credit may expire with
  // a charge. Each needs an entry ID.
  for (let entries = charges + voids; ;) {
    const ids = { ent_: stock.show("ent_", entries), chg_: stock.show("chg_", charges) };
    const input: BatchesToApply = { batches, context: { now, expiryTime, issuer, kid, revenue }, ids };
    const applied = await repeatedly(() => procedures.call<Applied>(APPLY_BATCHES, input));
    if ("outcomes" in applied) return applied.outcomes;
    entries = applied.entriesNeeded;
  }
}
