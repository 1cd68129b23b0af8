/**
 * Gateway endpoints: hello, token lookup, and batches of acknowledgements, voids and charges. Receipts are signed after
 * the commit.
 */
import { createHash } from "node:crypto";
import {
  LEASE_SECONDS,
  type BodyOf,
  type chargeBatch,
  type ChargeRequest,
  type ChargeResult,
  type findDelivered,
  type helloInstance,
  type resolveWallet,
  type VoidReason,
} from "@triptych/contracts";
import { Problem, type RequestContext, type ValidationErrors } from "@triptych/server";
import type { FastifyRequest } from "fastify";
import type { ChargeInput, ChargeOutcome, GatewayBatch } from "../domain/charge-batch.ts";
import type { PriceList } from "../domain/price-list.ts";
import type { Rail } from "../domain/rail.ts";
import { SigningKeyLost } from "../domain/signing-keys.ts";
import type { Caller } from "./identify.ts";
import type { LedgerCharge } from "../domain/unit-of-work.ts";
import { spendableOf, toReachedResponse } from "./response-mappers.ts";

export function helloHandler({ ledger, context }: Rail, watch: ChargeMetrics) {
  return async ({ body }: RequestContext<typeof helloInstance, Caller>) => {
    const outcome = await ledger.hello(body, context());
    if (outcome === null) throw new Problem("fenced");
    watch.voided("fenced", outcome.voided);
    return { voided: outcome.voided, lease_seconds: LEASE_SECONDS };
  };
}

export function resolveWalletHandler({ ledger, clock, now }: Rail) {
  return async ({ body }: RequestContext<typeof resolveWallet, Caller>) => {
    const wallet = await ledger.walletOf(body.wallet_hash, now());
    if (wallet === null || wallet.status === "closed") throw new Problem("wallet_not_found");
    const { balanceMicro, spendableMicro, reached } = spendableOf(wallet, { clock, token: wallet.token });
    return {
      wallet_id: wallet.id,
      status: wallet.status,
      balance_micro: balanceMicro,
      spendable_micro: spendableMicro,
      ops: wallet.token?.ops ?? null,
      reached: reached && toReachedResponse(reached),
    };
  };
}

/** Finds delivered charges only, which are final; all other states are decided when the request is charged. */
export function findDeliveredHandler({ ledger, keys, now }: Rail) {
  return async ({ body }: RequestContext<typeof findDelivered, Caller>) => {
    const wallet = await ledger.walletOf(body.wallet_hash, now());
    if (wallet === null || wallet.status === "closed") throw new Problem("wallet_not_found");
    const key = { walletId: wallet.id, tokenId: wallet.token?.id ?? null, op: body.op, keyHash: hashOf(body.key) };
    const charge = await ledger.chargeOfKey(key);
    if (charge === null || charge.state === "posted" || charge.req !== body.req) return { charge: null };
    return {
      charge: {
        charge_id: charge.id,
        amount_micro: charge.amountMicro,
        ...balancesOf(charge),
        wallet_seq: charge.walletSeq,
        receipt: await keys.receiptOf(charge, 1),
        response: await ledger.sealedResponse(charge.id),
      },
    };
  };
}

export interface ChargeMetrics {
  charged(outcome: ChargeOutcome): void;
  voided(reason: VoidReason, count: number): void;
}

export function chargeBatchHandler(rail: Rail, watch: ChargeMetrics) {
  const { applyBatch, prices } = rail;
  return {
    async handle({ body, request }: RequestContext<typeof chargeBatch, Caller>, errors: ValidationErrors) {
      addUnknownPrices(body?.charges, prices, errors);
      errors.refuse();
      const outcomes = await applyBatch(batchOf(body, prices));
      if (outcomes === null) throw new Problem("fenced");
      outcomes.forEach(watch.charged);
      for (const { reason } of body.voids ?? []) watch.voided(reason, 1);
      const results = outcomes.map((outcome, index) => {
        const seq = body.charges?.[index]?.seq ?? 0;
        return resultOf(rail, outcome, { seq, among: outcomes.length }).catch((error: unknown) =>
          leftOut(error, request),
        );
      });
      return { results: (await Promise.all(results)).flat() };
    },
  };
}

/**
 * If the secret of a receipt's key was lost, only that replay is omitted from the response. If the whole batch failed,
 * the gateway would resend it, and it would fail again, as long as that call waits.
 */
function leftOut(error: unknown, { log }: Pick<FastifyRequest, "log">): readonly [] {
  if (!(error instanceof SigningKeyLost)) throw error;
  log.error({ err: error }, "the receipt cannot be rebuilt");
  return [];
}

/** Runs before schema errors are thrown, so `charges` is untyped. */
function addUnknownPrices(charges: unknown, prices: PriceList, errors: ValidationErrors): void {
  if (!Array.isArray(charges)) return;
  for (const [index, charge] of charges.entries()) {
    const id: unknown = typeof charge === "object" && charge !== null && "price_id" in charge ? charge.price_id : null;
    if (typeof id !== "string" || prices.decisionMicro(id) !== null) continue;
    const message = `Unknown price \`${id.slice(0, 40)}\`.`;
    errors.add({ path: `/charges/${index}/price_id`, reason: "not_allowed", message });
  }
}

function batchOf(
  { instance, boot, ack, voids = [], charges = [] }: BodyOf<typeof chargeBatch>,
  prices: PriceList,
): GatewayBatch {
  return {
    instance,
    boot,
    ack: ack === undefined ? null : { through: ack.through, also: ack.also ?? [] },
    voids,
    charges: charges.map((charge) => askOf(charge, prices)),
  };
}

/** A sub-token sees what its caps allow, not the balance of the wallet. */
function balancesOf({
  tokenId,
  balanceAfterMicro,
  spendableMicro,
}: Pick<LedgerCharge, "tokenId" | "balanceAfterMicro" | "spendableMicro">) {
  const spendable = spendableMicro ?? balanceAfterMicro;
  const balance_micro = tokenId === null ? balanceAfterMicro : spendable;
  return { balance_micro, ...(spendable < balance_micro && { spendable_micro: spendable }) };
}

/** The client's key is dropped here; only its hash remains. */
function askOf(charge: ChargeRequest, prices: PriceList): ChargeInput {
  const { seq, op, key, req, res } = charge;
  const priceMicro = prices.decisionMicro(charge.price_id);
  if (priceMicro === null) throw new Error(`the unknown price ${charge.price_id} was not rejected`);
  return {
    seq,
    walletHash: charge.wallet_hash,
    keyHash: key === undefined ? null : hashOf(key),
    op,
    priceId: charge.price_id,
    priceMicro,
    req,
    res,
    sealed: charge.response ?? null,
  };
}

function hashOf(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

interface BatchPosition {
  readonly seq: number;
  readonly among: number;
}

async function resultOf(
  { ledger, keys }: Rail,
  outcome: ChargeOutcome,
  { seq, among }: BatchPosition,
): Promise<ChargeResult> {
  switch (outcome.status) {
    case 201:
    case 200: {
      const { charge, status } = outcome;
      return {
        seq,
        status,
        charge_id: charge.id,
        amount_micro: charge.amountMicro,
        ...balancesOf(charge),
        wallet_seq: charge.walletSeq,
        receipt: await keys.receiptOf(charge, among),
        ...(status === 200 && { response: await ledger.sealedResponse(charge.id) }),
      };
    }
    case 402: {
      const balanceMicro = outcome.code === "wallet_empty" ? outcome.balanceMicro : null;
      return { seq, status: outcome.status, code: outcome.code, balance_micro: balanceMicro };
    }
    case 403: {
      if (outcome.code !== "cap_reached") return { seq, status: outcome.status, code: outcome.code };
      const { status, code, reached, ...left } = outcome;
      const balances = balancesOf({ ...left, balanceAfterMicro: left.balanceMicro });
      return { seq, status, code, reached: toReachedResponse(reached), ...balances };
    }
    case 409:
    case 422:
      return { seq, status: outcome.status, code: outcome.code };
  }
}
