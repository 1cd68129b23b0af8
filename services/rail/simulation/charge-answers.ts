/** Converts between messages and domain rules like the rail's handlers, and checks that each response is true. */
import { createHash } from "node:crypto";
import { DECISION_PRICE_MICRO, type ChargeResult } from "@triptych/contracts";
import type { ChargeBatch } from "@triptych/billing-client";
import type { ReachedCap } from "../src/domain/caps.ts";
import type { BatchOutcome, ChargeInput, ChargeOutcome, GatewayBatch } from "../src/domain/charge-batch.ts";
import { receiptClaims } from "../src/domain/receipt.ts";
import type { UnitOfWork } from "../src/domain/unit-of-work.ts";
import type { Rows } from "./rows.ts";
import type { Truth } from "./truth.ts";
import { demand } from "./violation.ts";

export interface ChargeAnswers {
  resultOf(batch: GatewayBatch, ask: ChargeInput, outcome: ChargeOutcome): ChargeResult;
  isAnswered(chargeId: string): boolean;
}

export function createChargeAnswers(rows: Rows, truth: Truth): ChargeAnswers {
  const receipts = new Map<string, string>();

  return {
    resultOf(batch, ask, outcome) {
      judgeOutcome(batch, ask, outcome);
      const { seq } = ask;
      if (!("charge" in outcome)) {
        const { status, code } = outcome;
        if (status === 402 || status === 403) truth.refusing(ask.walletHash, code);
        const reached = outcome.code === "cap_reached" ? { reached: toReached(outcome.reached) } : {};
        return {
          seq,
          status,
          code,
          balance_micro: "balanceMicro" in outcome ? outcome.balanceMicro : null,
          ...reached,
        };
      }
      const { charge, status } = outcome;
      return {
        seq,
        status,
        charge_id: charge.id,
        amount_micro: charge.amountMicro,
        balance_micro: charge.balanceAfterMicro,
        ...(charge.spendableMicro !== null && { spendable_micro: charge.spendableMicro }),
        wallet_seq: charge.walletSeq,
        receipt: receiptOf(outcome),
        ...(status === 200 && { response: rows.responses.get(charge.id) ?? null }),
      };
    },
    isAnswered: (chargeId) => receipts.has(chargeId),
  };

  /** The receipt is deterministic. Issuing it before its charge is on disk is a violation. */
  function receiptOf({ charge }: Extract<ChargeOutcome, { charge: unknown }>): string {
    const receipt = JSON.stringify(receiptClaims(charge));
    demand(rows.charges.has(charge.id), "L9", () => `the receipt of ${charge.id} was sent before its row was on disk`);
    demand((receipts.get(charge.id) ?? receipt) === receipt, "receipts", () => `two receipts of ${charge.id}`);
    receipts.set(charge.id, receipt);
    return receipt;
  }

  /** Checks that the charge of a response is that of the attempt itself, or the delivered charge of its key. */
  function judgeOutcome({ instance, boot }: GatewayBatch, ask: ChargeInput, outcome: ChargeOutcome): void {
    const own = rows.attempted({ instance, boot, seq: ask.seq });
    const charge = "charge" in outcome ? outcome.charge : null;
    const about = (what: string) => () => `attempt ${ask.seq} of ${instance} ${boot} ${what} (${outcome.status})`;
    if (charge !== null)
      demand(rows.charges.has(charge.id), "L9", about(`received charge ${charge.id}, which is not on disk`));
    if (outcome.status === 201)
      demand(own?.id === charge?.id, "attempt", about("received the charge of another attempt"));
    if (outcome.status !== 200 || charge === null) return;
    const isSame = charge.keyHash === ask.keyHash && ask.keyHash !== null && charge.req === ask.req;
    demand(isSame && truth.isFinished(charge.id), "replays", about(`received ${charge.id}, which was not delivered`));
  }
}

/**
 * Call it right after a batch was applied, before the next batch of the same commit: a copy of a refused attempt may be
 * charged later, when the wallet has money.
 */
export function judgeAttempts(
  unit: Pick<UnitOfWork, "attempted">,
  { instance, boot, charges }: GatewayBatch,
  outcomes: BatchOutcome,
): void {
  for (const [index, outcome] of (outcomes ?? []).entries()) {
    const { seq } = charges[index];
    const own = unit.attempted({ instance, boot, seq });
    if (own === undefined || own.state === "voided") continue;
    demand(
      outcome.status === 201 && outcome.charge.id === own.id,
      "attempt",
      () => `attempt ${seq} of ${instance} ${boot} is charged but received another status (${outcome.status})`,
    );
  }
}

export function toReached({ cap, owner, limitMicro, spentMicro, resetsAt }: ReachedCap) {
  const resets_at = resetsAt === null ? null : new Date(resetsAt).toISOString();
  return { cap, owner, limit_micro: limitMicro, spent_micro: spentMicro, resets_at };
}

const hashes = new Map<string, string>();

function hashOf(key: string): string {
  let hash = hashes.get(key);
  if (hash === undefined) hashes.set(key, (hash = createHash("sha256").update(key).digest("hex")));
  return hash;
}

export function gatewayBatch({ instance, boot, ack, voids = [], charges = [] }: ChargeBatch): GatewayBatch {
  return {
    instance,
    boot,
    ack: ack === undefined ? null : { through: ack.through, also: ack.also ?? [] },
    voids,
    charges: charges.map(({ seq, wallet_hash, key, op, price_id, req, res, response }) => ({
      seq,
      walletHash: wallet_hash,
      keyHash: key === undefined ? null : hashOf(key),
      op,
      priceId: price_id,
      priceMicro: DECISION_PRICE_MICRO,
      req,
      res,
      sealed: response ?? null,
    })),
  };
}
