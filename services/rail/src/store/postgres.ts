/**
 * The hot path on PostgreSQL: a batch is one call of a function of the migrations, which implements
 * domain/charge-batch.ts. The function stops before a batch with an expired lease; that boot is ended here with the
 * domain rules.
 */
import { LEASE_SECONDS, type CapName } from "@triptych/contracts";
import { readPrepared, sql, type Database } from "@triptych/storage";
import { dayOf, monthOf, resetsAt, type BudgetOwner } from "../domain/caps.ts";
import { bootName } from "../domain/unit-of-work.ts";
import {
  applyBatch,
  keyMark,
  newCharge,
  resent,
  type BatchOutcome,
  type CapReached,
  type ChargeInput,
  type ChargeOrigin,
  type ChargeOutcome,
  type GatewayBatch,
  type MadeCharge,
} from "../domain/charge-batch.ts";
import type { Context } from "../domain/post-entry.ts";
import { commit, repeatedly } from "./commit.ts";
import { idPool, type IdPool } from "./id-pool.ts";
import { loadLapsed } from "./load.ts";
import { toCharge } from "./rows.ts";
import type { ChargeRow, RailTables } from "./tables.ts";
import type { Tx } from "./write-changes.ts";

export async function applyBatches(
  database: Database<RailTables>,
  batches: readonly GatewayBatch[],
  context: Context,
): Promise<readonly BatchOutcome[]> {
  const outcomes: BatchOutcome[] = [];
  const stock = idPool(context);
  while (outcomes.length < batches.length) {
    const part = withoutRepeatedBoots(batches.slice(outcomes.length));
    const done = await callOnce(database, part, { context, stock });
    outcomes.push(...done);
    const lapsed = part[done.length];
    if (lapsed === undefined) continue;
    const ended = await endLapsed(database, lapsed, { ...context, newId: stock.take });
    // The boot has sent hello again in the meantime, so retry.
    if (ended === null) outcomes.push(null);
  }
  return outcomes;
}

/** Returns false if another process has this advisory lock because it is sweeping. */
export async function takesSweep(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`
    select pg_try_advisory_xact_lock(hashtext('triptych rail sweep of ' || current_schema())) as taken`.execute(tx);
  return rows[0]?.taken ?? false;
}

/** The function loads a boot's rows only once, so a repeated boot needs a second call. */
function withoutRepeatedBoots(batches: readonly GatewayBatch[]): readonly GatewayBatch[] {
  const seen = new Set<string>();
  const end = batches.findIndex((batch) => {
    const isRepeated = seen.has(bootName(batch));
    seen.add(bootName(batch));
    return isRepeated;
  });
  return end === -1 ? batches : batches.slice(0, end);
}

type Answer = readonly [status: number, ...details: unknown[]];
type Made = readonly [
  id: string,
  wallet: string,
  promo: number,
  entry: string,
  seq: number,
  balance: number,
  prev: string,
  token: string | null,
  spendable: number | null,
];

type Reached = readonly [
  token: string | null,
  balance: number,
  spendable: number,
  cap: CapName,
  owner: BudgetOwner,
  limit: number,
  spent: number,
];

const NOTHING = 0;

async function callOnce(
  database: Database<RailTables>,
  batches: readonly GatewayBatch[],
  { context, stock }: { readonly context: Context; readonly stock: IdPool },
): Promise<BatchOutcome[]> {
  const charges = batches.reduce((sum, batch) => sum + batch.charges.length, 0);
  const voids = batches.reduce((sum, batch) => sum + batch.voids.length, 0);
  const { now, expiryTime = now, issuer, kid, revenue } = context;
  const about = {
    now,
    expiry_time: expiryTime,
    day: dayOf(now),
    month: monthOf(now),
    iso: new Date(now).toISOString(),
    issuer,
    kid,
    revenue,
    lease_ms: LEASE_SECONDS * 1000,
  };
  // A charge may be preceded by a promo expiry entry.
  const ids = { ent: stock.show("ent_", 2 * charges + voids), chg: stock.show("chg_", charges) };
  const batchesJson = JSON.stringify(batches.map(batchParameters));
  const call = sql<{ answer: string }>`
    select rail_apply_batches(${batchesJson}::jsonb, ${JSON.stringify({ ...about, ...ids })}::jsonb)::text as answer`;
  const [row] = await repeatedly(() => readPrepared(database.db, call));
  if (row === undefined) throw new Error("the database returned no result for the batches");

  const answer = JSON.parse(row.answer) as {
    readonly outcomes: readonly (readonly Answer[] | null)[];
    readonly ent: number;
    readonly chg: number;
  };
  stock.used("ent_", answer.ent);
  stock.used("chg_", answer.chg);
  const repeated = batches.flatMap(({ charges: asks }, index) =>
    asks.filter((_, at) => isRepeated(answer.outcomes[index]?.[at])),
  );
  const wallets = await walletsOf(database, repeated, now);
  return answer.outcomes.map((answers, index) => {
    const batch = batches[index];
    if (answers === null || batch === undefined) return null;
    const { instance, boot } = batch;
    return batch.charges.map((ask, at) => {
      const found = answers[at] ?? [NOTHING];
      const outcome = toOutcome(found, { instance, boot, ask, context });
      if (outcome.status !== 201 || !isRepeated(found)) return outcome;
      return resent(outcome.charge, ask, wallets.get(ask.walletHash) ?? null);
    });
  });
}

/** For an existing attempt, the function returns the whole row. */
function isRepeated(answer: Answer | undefined): boolean {
  return answer?.[0] === 201 && typeof answer[1] !== "string";
}

/** Wallet IDs by token hash, for repeated attempts, which few commits contain. */
async function walletsOf(database: Database<RailTables>, asks: readonly ChargeInput[], now: number) {
  if (asks.length === 0) return new Map<string, string>();
  const rows = await database.db
    .selectFrom("wallet_token")
    .select(["hash", "wallet_id"])
    .where("hash", "in", [...new Set(asks.map(({ walletHash }) => walletHash))])
    .where((where) => where.or([where("valid_until", "is", null), where("valid_until", ">", now)]))
    .execute();
  return new Map(rows.map(({ hash, wallet_id }) => [hash, wallet_id]));
}

function batchParameters({ instance, boot, ack, voids, charges }: GatewayBatch) {
  return {
    instance,
    boot,
    through: ack?.through ?? null,
    also: ack?.also ?? [],
    voids: voids.map(({ seq, reason }) => [seq, reason]),
    charges: charges.map((ask) => ({
      seq: ask.seq,
      hash: ask.walletHash,
      key: ask.keyHash,
      idk: keyMark(ask.keyHash),
      op: ask.op,
      price_id: ask.priceId,
      price: ask.priceMicro,
      req: ask.req,
      res: ask.res,
      sealed: ask.sealed,
    })),
  };
}

function toOutcome([status, ...details]: Answer, origin: ChargeOrigin): ChargeOutcome {
  const [detail] = details;
  switch (status) {
    case 201:
    case 200:
      // The function returns the row of an existing charge, but only the new fields of a created one.
      if (typeof detail === "string")
        return { status: 201, charge: newCharge(toMade(details as unknown as Made), origin) };
      return { status, charge: toCharge(detail as ChargeRow) };
    case 402:
      if (typeof detail === "number") return { status, code: "wallet_empty", balanceMicro: detail };
      return { status, code: "wallet_unknown" };
    case 403:
      if (details.length === 0) return { status, code: "wallet_frozen" };
      if (details.length === 1) return { status, code: "operation_not_allowed" };
      return toCapReached(details as unknown as Reached, origin.context.now);
    case 409:
      return { status, code: "idempotency_in_progress" };
    case 422:
      return { status, code: "idempotency_key_reused" };
    default:
      throw new Error(`the database returned the unknown status ${status} for a charge`);
  }
}

function toMade([
  id,
  walletId,
  promoMicro,
  entryId,
  walletSeq,
  balanceAfterMicro,
  prev,
  tokenId,
  spendableMicro,
]: Made): MadeCharge {
  return { id, walletId, promoMicro, entryId, walletSeq, balanceAfterMicro, prev, tokenId, spendableMicro };
}

function toCapReached(
  [tokenId, balanceMicro, spendable, cap, owner, limitMicro, spentMicro]: Reached,
  now: number,
): CapReached {
  const reached = { cap, owner, limitMicro, spentMicro, resetsAt: resetsAt(cap, now) };
  return { status: 403, code: "cap_reached", reached, tokenId, balanceMicro, spendableMicro: spendable };
}

function endLapsed(database: Database<RailTables>, batch: GatewayBatch, context: Context): Promise<BatchOutcome> {
  const nothing = { ...batch, ack: null, voids: [], charges: [] };
  return commit(database, {
    now: context.now,
    load: (tx) => loadLapsed(tx, batch),
    work: (unit) => applyBatch(unit, nothing, context),
  });
}
