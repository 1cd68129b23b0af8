/** Creates a numbered version of a name, evicting an old one or failing at the limit. */
import { HEAD_NAMES_MAX, HEAD_VERSIONS_MAX } from "@triptych/contracts";
import type { Database } from "@triptych/storage";
import { NO_TALLY, type HeadRecord } from "../domain/heads/head.ts";
import type { CreatedBefore, Creation, NewHead } from "../domain/heads/head-store.ts";
import { onceBefore, takeOnce, type OnceBefore } from "./idempotency-records.ts";
import { headIn, holdOwner, removeIn } from "./head-rows.ts";
import { tallyColumns, toHead } from "./rows.ts";
import type { RouterTables, Tx } from "./tables.ts";

class HeadLimitReached extends Error {
  readonly of: "names" | "versions";

  constructor(of: "names" | "versions") {
    super(`Head limit reached: no more ${of} allowed.`);
    this.of = of;
  }
}

export async function createHead(database: Database<RouterTables>, head: NewHead): Promise<Creation> {
  try {
    return await database.transaction((tx) => createIn(tx, head));
  } catch (error) {
    if (error instanceof HeadLimitReached) return { kind: "no_room", of: error.of };
    throw error;
  }
}

export async function createdBefore(
  { db }: Database<RouterTables>,
  { owner, once, now }: Pick<OnceBefore, "owner" | "once" | "now">,
): Promise<CreatedBefore | null> {
  const before = await onceBefore(db, { owner, operation: OPERATION, once, now });
  if (before === null || before.kind === "other_payload") return before;
  return { kind: "replayed", head: await headIn(db, owner, before.result) };
}

const OPERATION = "create";

async function createIn(tx: Tx, head: NewHead): Promise<Creation> {
  const { owner, id, name, once, at } = head;
  if (once !== null) {
    const taken = await takeOnce(tx, { owner, operation: OPERATION, once, result: id, now: at });
    if (taken.kind === "other_payload") return taken;
    if (taken.kind === "replayed") return { kind: "replayed", head: await headIn(tx, owner, taken.result) };
  }
  await holdOwner(tx, owner);
  const version = await nextVersion(tx, owner, name);
  const gone = await evictOldest(tx, owner, name);
  await tx
    .insertInto("head")
    .values({
      owner,
      id,
      name,
      version,
      state: "training",
      reason: null,
      created_at: at,
      trained_at: null,
      training_ms: null,
      settings: JSON.stringify(head.settings),
      routes: JSON.stringify(head.routes),
      trainer: head.trainer,
      lease_until: head.leaseUntil,
      sha256: null,
      made: null,
      ...tallyColumns(NO_TALLY),
    })
    .execute();
  const created = await headIn(tx, owner, id);
  if (created === null) throw new Error("The head that was just inserted is missing.");
  return { kind: "created", head: created, gone };
}

/** Numbers increase while the name is in use, so no number is reused. */
async function nextVersion(tx: Tx, owner: string, name: string): Promise<number> {
  const { last_version: version } = await tx
    .insertInto("head_name")
    .values({ owner, name, last_version: 1 })
    .onConflict((conflict) =>
      conflict.columns(["owner", "name"]).doUpdateSet((eb) => ({ last_version: eb("head_name.last_version", "+", 1) })),
    )
    .returning("last_version")
    .executeTakeFirstOrThrow();
  const { count } = await tx
    .selectFrom("head_name")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("owner", "=", owner)
    .executeTakeFirstOrThrow();
  if (count > HEAD_NAMES_MAX) throw new HeadLimitReached("names");
  return version;
}

/** Evicts unusable versions first, then the version that was retired first. Versions in use stay. */
async function evictOldest(tx: Tx, owner: string, name: string): Promise<HeadRecord | null> {
  const rows = await tx
    .selectFrom("head")
    .selectAll()
    .where("owner", "=", owner)
    .where("name", "=", name)
    .orderBy("version")
    .execute();
  if (rows.length < HEAD_VERSIONS_MAX) return null;
  const goes =
    rows.find(({ state }) => state === "rejected" || state === "failed") ??
    rows.find(({ state }) => state === "retired");
  if (goes === undefined) throw new HeadLimitReached("versions");
  await removeIn(tx, owner, goes.id);
  return toHead(goes);
}
