import { UNACKNOWLEDGED_SECONDS } from "@triptych/contracts";
import type { Boot } from "../domain/unit-of-work.ts";
import { hello as greet, sweepCharges, type HelloInput } from "../domain/charge-batch.ts";
import type { Ledger } from "../domain/ledger.ts";
import type { Context } from "../domain/post-entry.ts";
import { commit, inTransaction, workIn } from "./commit.ts";
import type { Engine } from "./engine.ts";
import { chargesById, liveBoots, lockInstances, lockOwners, postedBy, postedOf } from "./load.ts";
import { expirePromos } from "./promos.ts";
import { purgeExpired } from "./purge-expired.ts";
import { toBoot, toCharge } from "./rows.ts";
import type { ChargeRow } from "./tables.ts";
import type { Tx } from "./write-changes.ts";

type ChargingVerbs = Pick<Ledger, "hello" | "applyBatches" | "sweep" | "sealedResponse" | "charge" | "chargeOfKey">;

const UNACKNOWLEDGED_MS = UNACKNOWLEDGED_SECONDS * 1000;

export function chargingVerbs(engine: Engine): ChargingVerbs {
  const { database } = engine;
  return {
    applyBatches: (batches, context) =>
      batches.length === 0 ? Promise.resolve([]) : engine.applyBatches(batches, context),
    hello: (greeting, context) =>
      commit(database, {
        now: context.now,
        load: (tx) => loadGreeting(tx, greeting),
        work: (unit) => greet(unit, greeting, context),
      }),
    async sweep(context, limit) {
      const voided = await sweepPosted(engine, context, limit);
      const promosExpired = await expirePromos(database, context, limit);
      const removed = await purgeExpired(database, context.expiryTime ?? context.now, limit);
      return { ...voided, promosExpired, removed };
    },
    async sealedResponse(chargeId) {
      const row = await database.db
        .selectFrom("response")
        .select("sealed")
        .where("charge_id", "=", chargeId)
        .executeTakeFirst();
      return row?.sealed ?? null;
    },
    async charge(id) {
      const row = await database.db.selectFrom("charge").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : toCharge(row);
    },
    async chargeOfKey({ walletId, tokenId, op, keyHash }) {
      const row = await database.db
        .selectFrom("charge")
        .selectAll()
        .where("wallet_id", "=", walletId)
        .where("op", "=", op)
        .where("key_hash", "=", keyHash)
        .where("key_hash", "is not", null)
        .where("state", "<>", "voided")
        .where("token_id", tokenId === null ? "is" : "=", tokenId)
        .executeTakeFirst();
      return row === undefined ? null : toCharge(row);
    },
  };
}

async function loadGreeting(tx: Tx, greeting: HelloInput) {
  const boots = await lockInstances(tx, [greeting]);
  const replaced = boots.filter(({ boot, state }) => state === "live" && boot !== greeting.boot);
  const isNew = boots.every(({ boot }) => boot !== greeting.boot);
  const past = isNew && (await hasCharged(tx, greeting)) ? [pastBoot(greeting)] : [];
  return { boots: [...boots, ...past], ...(await loadOpen(tx, replaced, [])) };
}

/** Rows of old boots are purged, but their charges remain and show that the boots are outdated. */
async function hasCharged(tx: Tx, { instance, boot }: HelloInput): Promise<boolean> {
  const charges = tx.selectFrom("charge").select("id").where("instance", "=", instance).where("boot", "=", boot);
  return (await charges.limit(1).executeTakeFirst()) !== undefined;
}

function pastBoot({ instance, boot }: HelloInput): Boot {
  return { instance, boot, state: "fenced", leaseUntil: 0, through: 0 };
}

/** The boots must be locked, or another commit could finish their charges. */
async function loadOpen(tx: Tx, boots: readonly Boot[], ids: readonly string[]) {
  const posted = await postedOf(tx, boots);
  const others = await chargesById(
    tx,
    ids.filter((id) => !posted.some((charge) => charge.id === id)),
  );
  const charges = [...posted, ...others];
  return { charges, ...(await lockOwners(tx, charges)) };
}

function sweepPosted(
  engine: Engine,
  context: Context,
  limit: number,
): Promise<{ voidedByLease: number; voidedUnacknowledged: number }> {
  return inTransaction(engine.database, async (tx) => {
    if (!(await engine.takesSweep(tx))) return { voidedByLease: 0, voidedUnacknowledged: 0 };
    const lapsed = await lapsedBoots(tx, context.now, limit);
    const overdue = (await overdueCharges(tx, context.now, limit)).slice(0, limit);
    if (lapsed.length + overdue.length === 0) return { voidedByLease: 0, voidedUnacknowledged: 0 };
    const ids = overdue.map(({ id }) => id);
    return await workIn(tx, {
      now: context.now,
      async load() {
        const boots = await lockInstances(tx, [...lapsed, ...overdue]);
        return { boots, ...(await loadOpen(tx, boots.filter(isAmong(lapsed)), ids)) };
      },
      work(unit) {
        sweepCharges(unit, { lapsed, overdue: ids }, context);
        const reasons = unit.changes().charges.map(({ charge }) => charge.voidReason);
        return {
          voidedByLease: reasons.filter((reason) => reason === "lease").length,
          voidedUnacknowledged: reasons.filter((reason) => reason === "unacknowledged").length,
        };
      },
    });
  });
}

function isAmong(boots: readonly Boot[]): (boot: Boot) => boolean {
  return ({ instance, boot }) => boots.some((candidate) => candidate.instance === instance && candidate.boot === boot);
}

async function lapsedBoots(tx: Tx, now: number, limit: number): Promise<Boot[]> {
  const rows = await tx
    .selectFrom("instance")
    .selectAll()
    .where("state", "=", "live")
    .where("lease_until", "<=", now)
    .orderBy("lease_until")
    .orderBy("instance")
    .limit(limit)
    .execute();
  return rows.map(toBoot);
}

/**
 * Posted charges belong to live boots and are above their watermarks, so this query needs no additional index, which
 * would slow down every charge.
 */
async function overdueCharges(tx: Tx, now: number, limit: number) {
  const overdue: Pick<ChargeRow, "id" | "instance" | "boot" | "created_at">[] = [];
  for (const boot of await liveBoots(tx)) {
    const rows = await postedBy(tx, boot)
      .select(["id", "instance", "boot", "created_at"])
      .where("created_at", "<=", now - UNACKNOWLEDGED_MS)
      .orderBy("seq")
      .limit(limit)
      .execute();
    overdue.push(...rows);
  }
  return overdue.sort((a, b) => a.created_at - b.created_at || (a.id < b.id ? -1 : 1));
}
