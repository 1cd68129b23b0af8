/** Loads rows of the ledger. Rows that may change are locked in the order of their IDs. */
import type { Kysely } from "@triptych/storage";
import type { Boot, LedgerCharge, LedgerWallet, SubToken } from "../domain/unit-of-work.ts";
import { chunks } from "./pages.ts";
import { toBoot, toCharge } from "./rows.ts";
import type { RailTables } from "./tables.ts";
import type { Tx } from "./write-changes.ts";
import { toSubToken, toWallet } from "./wallet-rows.ts";

type Reads = Kysely<RailTables>;

export async function lockWallets(tx: Tx, ids: Iterable<string>): Promise<LedgerWallet[]> {
  const found: LedgerWallet[] = [];
  for (const chunk of chunks([...new Set(ids)].sort())) {
    const rows = await tx.selectFrom("wallet").selectAll().where("id", "in", chunk).orderBy("id").forUpdate().execute();
    found.push(...rows.map(toWallet));
  }
  return found;
}

export async function lockWallet(tx: Tx, id: string): Promise<LedgerWallet | null> {
  const [wallet] = await lockWallets(tx, [id]);
  return wallet ?? null;
}

export async function lockInstances(tx: Tx, boots: readonly Pick<Boot, "instance" | "boot">[]): Promise<Boot[]> {
  const names = [...new Set(boots.map(({ instance }) => instance))].sort();
  const found: Boot[] = [];
  for (const chunk of chunks(names)) {
    const rows = await tx
      .selectFrom("instance")
      .selectAll()
      .where("instance", "in", chunk)
      .where((where) =>
        where.or([
          where("state", "=", "live"),
          where(
            "boot",
            "in",
            boots.map(({ boot }) => boot),
          ),
        ]),
      )
      .orderBy("instance")
      .orderBy("boot")
      .forUpdate()
      .execute();
    found.push(...rows.map(toBoot));
  }
  return found;
}

/** Unfinished charges of a boot. Everything up to its watermark is finished, so the query begins above it. */
export async function postedOf(tx: Tx, boots: readonly Boot[]): Promise<LedgerCharge[]> {
  const found: LedgerCharge[] = [];
  for (const boot of boots) {
    const rows = await postedBy(tx, boot).selectAll().orderBy("seq").execute();
    found.push(...rows.map(toCharge));
  }
  return found;
}

export function postedBy(db: Reads, { instance, boot, through }: Pick<Boot, "instance" | "boot" | "through">) {
  return db
    .selectFrom("charge")
    .where("instance", "=", instance)
    .where("boot", "=", boot)
    .where("seq", ">", through)
    .where("state", "=", "posted");
}

export async function liveBoots(db: Reads): Promise<Boot[]> {
  const rows = await db.selectFrom("instance").selectAll().where("state", "=", "live").orderBy("instance").execute();
  return rows.map(toBoot);
}

/** A boot, with its posted charges if its lease has expired. */
export async function loadLapsed(tx: Tx, batch: Pick<Boot, "instance" | "boot">) {
  const boots = await lockInstances(tx, [batch]);
  const charges = await postedOf(
    tx,
    boots.filter(({ boot }) => boot === batch.boot),
  );
  return { boots, charges, ...(await lockOwners(tx, charges)) };
}

export function subTokenRows(db: Reads) {
  return db.selectFrom("sub_token").innerJoin("token_budget", "token_id", "id").selectAll();
}

/** Locks the wallets and sub-tokens of charges. The spending of a token changes under the lock of its wallet. */
export async function lockOwners(
  tx: Tx,
  charges: readonly LedgerCharge[],
): Promise<{ readonly wallets: LedgerWallet[]; readonly subTokens: SubToken[] }> {
  const wallets = await lockWallets(
    tx,
    charges.map(({ walletId }) => walletId),
  );
  const subTokens: SubToken[] = [];
  for (const chunk of chunks([...new Set(charges.flatMap(({ tokenId }) => tokenId ?? []))])) {
    const rows = await subTokenRows(tx).where("token_id", "in", chunk).execute();
    subTokens.push(...rows.map(toSubToken));
  }
  return { wallets, subTokens };
}

export async function chargesById(db: Reads, ids: readonly string[]): Promise<LedgerCharge[]> {
  const found: LedgerCharge[] = [];
  for (const chunk of chunks(ids)) {
    const rows = await db.selectFrom("charge").selectAll().where("id", "in", chunk).orderBy("id").execute();
    found.push(...rows.map(toCharge));
  }
  return found;
}

export async function owedBy(db: Reads, account: string): Promise<number> {
  const row = await db.selectFrom("account").select("total_micro").where("id", "=", account).executeTakeFirst();
  return Math.max(0, -(row?.total_micro ?? 0));
}
