/**
 * Operations that may grant starter credit. The limits depend on other grants, so each operation locks the installation
 * row. If two wallets are created concurrently for one address, the later one sees the first.
 */
import { ALERTS_DEFAULT, type StarterState } from "@triptych/contracts";
import type { Database } from "@triptych/storage";
import { NO_CAPS, NO_SPEND } from "../domain/caps.ts";
import type { LedgerWallet } from "../domain/unit-of-work.ts";
import { FIRST_PREV } from "../domain/entry.ts";
import type { StarterPolicy, Ledger, NewWallet, StarterGrant, StarterOutcome } from "../domain/ledger.ts";
import { grantStarter } from "../domain/movements.ts";
import type { Context } from "../domain/post-entry.ts";
import { inTransaction, workIn } from "./commit.ts";
import { lockWallet } from "./load.ts";
import type { RailTables } from "./tables.ts";
import { recordOf } from "./wallets.ts";
import type { Tx } from "./write-changes.ts";
import { walletRow } from "./wallet-rows.ts";

type StarterVerbs = Pick<Ledger, "createWallet" | "verifyStarter">;

const GUARDED_MS = 30 * 86_400_000;

/** Rows read per kind. The limits count up to 200; test mode may have any number. */
const GRANTS_OF_A_KIND = 250;

export function starterVerbs(database: Database<RailTables>): StarterVerbs {
  return {
    createWallet: (...args) => inTransaction(database, (tx) => startersIn(tx).createWallet(...args)),
    verifyStarter: (...args) => inTransaction(database, (tx) => startersIn(tx).verifyStarter(...args)),
  };
}

export function startersIn(tx: Tx): StarterVerbs {
  return {
    createWallet: (wallet, context) => createWallet(tx, wallet, context),
    verifyStarter: (id, judge, context) => verifyStarter(tx, id, { judge, context }),
  };
}

async function createWallet(tx: Tx, wallet: NewWallet, context: Context): Promise<StarterOutcome> {
  const { id, emailLookup, network, judgeStarter: judge } = wallet;
  const now = context.now;
  const starter = judge(await grantsBefore(tx, { emailLookup, network, now }));
  const nothing = { paidMicro: 0, promoMicro: 0, promoExpiresAt: null, caps: NO_CAPS, spend: NO_SPEND };
  const empty: LedgerWallet = { id, status: "active", seq: 0, head: FIRST_PREV, ...nothing };
  await tx.insertInto("wallet").values(walletRow(empty)).execute();
  const made = await enterStarter(tx, { wallet: empty, starter, context });

  await tx
    .insertInto("wallet_owner")
    .values({
      wallet_id: id,
      label: wallet.label,
      email_sealed: wallet.emailSealed,
      email_lookup: emailLookup,
      token_hint: wallet.tokenHint,
      low_balance_micro: 0,
      created_at: now,
      alerts: JSON.stringify(ALERTS_DEFAULT),
    })
    .execute();
  const token = { hash: wallet.tokenHash, wallet_id: id, created_at: now, valid_until: null, token_id: null };
  await tx.insertInto("wallet_token").values(token).execute();
  const about = { wallet_id: id, state: starter, email_lookup: emailLookup, network, at: now };
  await tx
    .insertInto("starter_grant")
    .values({ ...about, amount_micro: made.promoMicro, ends_at: made.promoExpiresAt })
    .execute();
  return await outcome(tx, id, starter);
}

async function verifyStarter(
  tx: Tx,
  id: string,
  { judge, context }: { readonly judge: StarterPolicy; readonly context: Context },
): Promise<StarterOutcome | null> {
  const grantRow = await tx.selectFrom("starter_grant").selectAll().where("wallet_id", "=", id).executeTakeFirst();
  if (grantRow === undefined) return null;
  const { email_lookup: emailLookup, network } = grantRow;
  const grants = await grantsBefore(tx, { emailLookup, network, now: context.now });
  const wallet = await lockWallet(tx, id);
  // Read again under both locks, so that a second click on the link sees the result of the first.
  const { state } = await tx
    .selectFrom("starter_grant")
    .select("state")
    .where("wallet_id", "=", id)
    .executeTakeFirstOrThrow();
  if (wallet === null || wallet.status === "closed") return null;
  if (state !== "pending_verification") return await outcome(tx, id, state);

  const starter = judge(grants);
  const made = await enterStarter(tx, { wallet, starter, context });
  const granted = { amount_micro: made.promoMicro - wallet.promoMicro, ends_at: made.promoExpiresAt };
  await tx
    .updateTable("starter_grant")
    .set({ state: starter, at: context.now, ...granted })
    .where("wallet_id", "=", id)
    .execute();
  return await outcome(tx, id, starter);
}

interface Entering {
  readonly wallet: LedgerWallet;
  readonly starter: StarterState;
  readonly context: Context;
}

async function enterStarter(tx: Tx, { wallet, starter, context }: Entering): Promise<LedgerWallet> {
  return await workIn(tx, {
    now: context.now,
    load: () => Promise.resolve({ wallets: [wallet] }),
    work: (unit) => (starter === "granted" ? grantStarter(unit, wallet, context).wallet : wallet),
  });
}

async function outcome(tx: Tx, id: string, starter: StarterState): Promise<StarterOutcome> {
  const wallet = await recordOf(tx, id);
  if (wallet === null) throw new Error(`the wallet ${id} has no owner`);
  return { wallet, starter };
}

interface GrantsAbout {
  readonly emailLookup: string;
  readonly network: string;
  readonly now: number;
}

/**
 * All grants of the address, and within the period of the limits the grants of the network and the newest of all
 * grants.
 */
async function grantsBefore(tx: Tx, { emailLookup, network, now }: GrantsAbout): Promise<StarterGrant[]> {
  await tx.selectFrom("installation").select("single").forUpdate().execute();
  const granted = tx
    .selectFrom("starter_grant")
    .select(["wallet_id", "email_lookup", "network", "amount_micro", "at"])
    .where("state", "=", "granted")
    .orderBy("at", "desc")
    .limit(GRANTS_OF_A_KIND);
  const recent = granted.where("at", ">", now - GUARDED_MS);
  const found = [
    ...(await granted.where("email_lookup", "=", emailLookup).execute()),
    ...(await recent.where("network", "=", network).execute()),
    ...(await recent.execute()),
  ];
  return [...new Map(found.map((row) => [row.wallet_id, row])).values()].map((row) => ({
    emailLookup: row.email_lookup,
    network: row.network,
    amountMicro: row.amount_micro,
    at: row.at,
  }));
}
