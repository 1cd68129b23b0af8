/**
 * Rules for a gateway batch. Acknowledgements are applied first, then voids, then charges, so a void wins over a
 * watermark in the same batch. Client key, gateway attempt and charge are separate identities. A void is a new,
 * reversing movement; charges are never edited or deleted.
 */
import type { VoidReason } from "@triptych/contracts";
import { LEASE_SECONDS } from "@triptych/contracts/plain";
import { budgetsOf, reachedCap, spendableMicro, spendAfter, type ReachedCap } from "./caps.ts";
import { accounts } from "./entry.ts";
import type { Acknowledgement, UnitOfWork, Boot, LedgerCharge, LedgerWallet, SubToken } from "./unit-of-work.ts";
import { chargeAfter } from "./charge-states.ts";
import { reverse } from "./reverse-charge.ts";
import { expirePromo, post, type Context, type Posting } from "./post-entry.ts";

export interface GatewayBatch {
  readonly instance: string;
  readonly boot: string;
  readonly ack: { readonly through: number; readonly also: readonly number[] } | null;
  readonly voids: readonly { readonly seq: number; readonly reason: VoidReason }[];
  readonly charges: readonly ChargeInput[];
}

export interface ChargeInput {
  readonly seq: number;
  readonly walletHash: string;
  /** SHA-256 of the client's key, hex; the key itself is never stored. */
  readonly keyHash: string | null;
  readonly op: string;
  readonly priceId: string;
  /** From the price list, never from the gateway. */
  readonly priceMicro: number;
  readonly req: string;
  readonly res: string;
  readonly sealed: string | null;
}

export type ChargeOutcome =
  | { readonly status: 201; readonly charge: LedgerCharge }
  /** The key has a delivered charge for the same request. */
  | { readonly status: 200; readonly charge: LedgerCharge }
  | { readonly status: 402; readonly code: "wallet_unknown" }
  | { readonly status: 402; readonly code: "wallet_empty"; readonly balanceMicro: number }
  | { readonly status: 403; readonly code: "wallet_frozen" | "operation_not_allowed" }
  | CapReached
  | { readonly status: 409; readonly code: "idempotency_in_progress" }
  | { readonly status: 422; readonly code: "idempotency_key_reused" };

export interface CapReached {
  readonly status: 403;
  readonly code: "cap_reached";
  readonly reached: ReachedCap;
  readonly tokenId: string | null;
  readonly balanceMicro: number;
  readonly spendableMicro: number;
}

/** Null if this boot was replaced or its lease has expired; then nothing of the batch was applied. */
export type BatchOutcome = readonly ChargeOutcome[] | null;

const LEASE_MS = LEASE_SECONDS * 1000;

export function applyBatch(unit: UnitOfWork, batch: GatewayBatch, context: Context): BatchOutcome {
  const boot = unit.boot(batch);
  if (boot === undefined || boot.state === "fenced") return null;
  if (boot.leaseUntil <= context.now) {
    fence(unit, boot, { reason: "lease", context });
    return null;
  }
  for (const { seq, reason } of batch.voids) voidAttempt(unit, { ...boot, seq }, { reason, context });
  const through = Math.max(boot.through, batch.ack?.through ?? 0);
  acknowledge(unit, boot, { through, also: batch.ack?.also ?? [], at: context.now });
  unit.saveBoot({ ...boot, through, leaseUntil: context.now + LEASE_MS });
  return batch.charges.map((ask) => charge(unit, { ...boot, through }, { ask, context }));
}

export interface HelloInput {
  readonly instance: string;
  readonly boot: string;
}

/**
 * A new boot replaces older boots of its instance. Returns the number of voided charges, or null for an outdated boot.
 */
export function hello(
  unit: UnitOfWork,
  { instance, boot }: HelloInput,
  context: Context,
): { readonly voided: number } | null {
  const existing = unit.boot({ instance, boot });
  if (existing?.state === "fenced") return null;
  const older = unit.liveBoot(instance);
  const voided = older === undefined || older.boot === boot ? 0 : fence(unit, older, { reason: "fenced", context });
  unit.saveBoot({ instance, boot, state: "live", through: existing?.through ?? 0, leaseUntil: context.now + LEASE_MS });
  return { voided };
}

interface Why {
  readonly reason: VoidReason;
  readonly context: Context;
}

/** Ends a boot by reversing its unacknowledged charges. Returns their number. */
export function fence(unit: UnitOfWork, boot: Boot, why: Why): number {
  const posted = unit.posted(boot);
  for (const charge of posted) voidCharge(unit, charge, why);
  unit.saveBoot({ ...boot, state: "fenced" });
  return posted.length;
}

/**
 * An attempt that has not arrived yet gets a tombstone: it may still be in transit, but nobody would receive its
 * response.
 */
function voidAttempt(unit: UnitOfWork, attempt: Boot & { readonly seq: number }, why: Why): void {
  const charge = unit.attempted(attempt);
  if (charge !== undefined) voidCharge(unit, charge, why);
  else if (!unit.hasTombstone(attempt)) {
    const { instance, boot, seq } = attempt;
    unit.addTombstone({ instance, boot, seq });
  }
}

export function voidCharge(unit: UnitOfWork, charge: LedgerCharge, { reason, context }: Why): void {
  const state = chargeAfter(charge.state, "void");
  const wallet = unit.wallet(charge.walletId);
  if (state === null || wallet === undefined) return;
  reverse(unit, wallet, { charge, kind: "void", context });
  unit.saveCharge({ ...charge, state, voidedAt: context.now, voidReason: reason });
}

function acknowledge(
  unit: UnitOfWork,
  boot: Boot,
  { through, also, at }: Pick<Acknowledgement, "through" | "also" | "at">,
): void {
  const named = new Set(also);
  for (const charge of unit.posted(boot)) {
    const state = chargeAfter(charge.state, "acknowledge");
    if (state !== null && (charge.seq <= through || named.has(charge.seq)))
      unit.saveCharge({ ...charge, state, deliveredAt: at });
  }
  const { instance, boot: name, through: after } = boot;
  unit.acknowledge({ instance, boot: name, after, through, also, at });
}

interface Asking {
  readonly ask: ChargeInput;
  readonly context: Context;
}

function charge(unit: UnitOfWork, boot: Boot, { ask, context }: Asking): ChargeOutcome {
  const attempt = { instance: boot.instance, boot: boot.boot, seq: ask.seq };
  const before = unit.attempted(attempt);
  // A retry, because the response was lost. If the attempt was reversed since, it must not be delivered.
  if (before !== undefined)
    return before.state === "voided" ? IN_PROGRESS : resent(before, ask, unit.walletOf(ask.walletHash)?.id ?? null);
  if (ask.seq <= boot.through || unit.hasTombstone(attempt)) return IN_PROGRESS;

  const wallet = unit.walletOf(ask.walletHash);
  if (wallet === undefined || wallet.status === "closed") return { status: 402, code: "wallet_unknown" };
  if (wallet.status === "frozen") return { status: 403, code: "wallet_frozen" };
  const token = unit.subTokenOf(ask.walletHash);
  if (token?.ops?.includes(ask.op) === false) return { status: 403, code: "operation_not_allowed" };
  const tokenId = token?.id ?? null;
  if (ask.keyHash !== null) {
    const same = unit.keyed({ walletId: wallet.id, tokenId, op: ask.op, keyHash: ask.keyHash });
    if (same !== undefined) return replay(same, ask);
  }
  const current = expirePromo(unit, wallet, context);
  const balanceMicro = current.paidMicro + current.promoMicro;
  if (balanceMicro < ask.priceMicro) return { status: 402, code: "wallet_empty", balanceMicro };
  const budgets = budgetsOf(current, token);
  const next = { amountMicro: ask.priceMicro, now: context.now };
  const spendable = spendableMicro(balanceMicro, budgets, next);
  const reached = spendable < ask.priceMicro ? reachedCap(budgets, next) : null;
  if (reached !== null)
    return { status: 403, code: "cap_reached", reached, tokenId, balanceMicro, spendableMicro: spendable };
  // The charge reduces it by the price, like the balance and the remainder of every cap.
  const left = spendable === balanceMicro ? null : spendable - ask.priceMicro;
  return { status: 201, charge: postCharge(unit, current, { ask, context, attempt, token, left }) };
}

/**
 * A repeated attempt gets its charge only if the content is the same, or a gateway error could show one wallet another
 * wallet's receipt. If the token has expired since, the wallet is null, and the digests decide.
 */
export function resent(charge: LedgerCharge, ask: ChargeInput, walletId: string | null): ChargeOutcome {
  const isSame =
    (walletId === null || charge.walletId === walletId) &&
    charge.op === ask.op &&
    charge.priceId === ask.priceId &&
    charge.idk === keyMark(ask.keyHash) &&
    charge.req === ask.req &&
    charge.res === ask.res;
  return isSame ? { status: 201, charge } : { status: 422, code: "idempotency_key_reused" };
}

const IN_PROGRESS = { status: 409, code: "idempotency_in_progress" } as const;

function replay(same: LedgerCharge, { req }: ChargeInput): ChargeOutcome {
  if (same.req !== req) return { status: 422, code: "idempotency_key_reused" };
  return same.state === "posted" ? IN_PROGRESS : { status: 200, charge: same };
}

interface Charging extends Asking {
  readonly attempt: { readonly instance: string; readonly boot: string; readonly seq: number };
  readonly token: SubToken | undefined;
  /** What the token can spend after the charge; null if only the balance limits it. */
  readonly left: number | null;
}

/** Promo money is spent first, because it expires. */
function postCharge(unit: UnitOfWork, wallet: LedgerWallet, charging: Charging): LedgerCharge {
  const { ask, context, attempt, token, left } = charging;
  const promoMicro = Math.min(wallet.promoMicro, ask.priceMicro);
  const id = context.newId("chg_");
  const legs: Posting[] = [
    { bucket: "promo", amountMicro: -promoMicro, against: context.revenue },
    { bucket: "paid", amountMicro: promoMicro - ask.priceMicro, against: context.revenue },
  ];
  const tokenId = token?.id ?? null;
  const spending = { ...wallet, spend: spendAfter(wallet.spend, ask.priceMicro, context.now) };
  const { entry } = post(unit, spending, { kind: "charge", legs, chargeId: id, op: ask.op, tokenId }, context);
  if (token !== undefined) unit.saveSubToken({ ...token, spend: spendAfter(token.spend, ask.priceMicro, context.now) });
  const { id: entryId, seq: walletSeq, balanceAfterMicro, prev } = entry;
  const made = { id, walletId: wallet.id, promoMicro, entryId, walletSeq, balanceAfterMicro, prev };
  const charge = newCharge({ ...made, tokenId, spendableMicro: left }, { ...attempt, ask, context });
  unit.saveCharge(charge);
  if (ask.keyHash !== null && ask.sealed !== null) unit.keepResponse({ chargeId: id, sealed: ask.sealed });
  return charge;
}

export type MadeCharge = Pick<
  LedgerCharge,
  | "id"
  | "walletId"
  | "promoMicro"
  | "entryId"
  | "walletSeq"
  | "balanceAfterMicro"
  | "prev"
  | "tokenId"
  | "spendableMicro"
>;

export interface ChargeOrigin extends Pick<Boot, "instance" | "boot"> {
  readonly ask: ChargeInput;
  readonly context: Omit<Context, "newId">;
}

export function newCharge(made: MadeCharge, { instance, boot, ask, context }: ChargeOrigin): LedgerCharge {
  return {
    ...made,
    instance,
    boot,
    seq: ask.seq,
    state: "posted",
    op: ask.op,
    qty: 1,
    priceId: ask.priceId,
    amountMicro: ask.priceMicro,
    revenue: context.revenue,
    keyHash: ask.keyHash,
    idk: keyMark(ask.keyHash),
    req: ask.req,
    res: ask.res,
    issuer: context.issuer,
    kid: context.kid,
    createdAt: context.now,
    deliveredAt: null,
    voidedAt: null,
    voidReason: null,
  };
}

/** The client key in a receipt: the first 16 bytes of its hash, base64url. */
export function keyMark(keyHash: string | null): string | null {
  return keyHash === null ? null : Buffer.from(keyHash.slice(0, 32), "hex").toString("base64url");
}

/** Reverses overdue unacknowledged charges and ends boots with an expired lease. */
export function sweepCharges(
  unit: UnitOfWork,
  { overdue, lapsed }: { readonly overdue: readonly string[]; readonly lapsed: readonly Boot[] },
  context: Context,
): void {
  for (const boot of lapsed) {
    const current = unit.boot(boot);
    if (current?.state === "live" && current.leaseUntil <= context.now)
      fence(unit, current, { reason: "lease", context });
  }
  for (const id of overdue) {
    const charge = unit.charge(id);
    if (charge !== undefined) voidCharge(unit, charge, { reason: "unacknowledged", context });
  }
}

export function revenueOf(process: string): string {
  return accounts.decisions(process);
}
