/**
 * Charges decisions at the rail and stores responses for replays. A response is encrypted before it is charged. If it
 * exceeds the rail's size limit, it is stored here before the charge, so the response of a delivered key can always be
 * replayed.
 */
import { createHash } from "node:crypto";
import {
  bodyDigest,
  requestDigest,
  type ResponseEncryption,
  type Billing,
  type Replayed,
} from "@triptych/billing-client";
import { SEALED_RESPONSE_MAX } from "@triptych/contracts";
import type { AnswerStore } from "./domain/idempotency-store.ts";
import type { RailFacts, KeyedCall, Replayed as Replay, SellResult, DecisionBilling } from "./domain/billing.ts";

export interface DecisionBillingOptions {
  readonly billing: Billing;
  readonly rail: Pick<RailFacts, "delivered">;
  readonly seal: ResponseEncryption;
  readonly answers: AnswerStore;
  readonly now: () => number;
}

/** The rail's retention, which starts at delivery, plus the time until a charge is delivered. */
const ANSWER_TTL_MS = (7 * 24 + 1) * 3_600_000;

export function createDecisionBilling({ billing, rail, seal, answers, now }: DecisionBillingOptions): DecisionBilling {
  return {
    admit: (asking) => billing.admit(asking),
    digestOf: ({ path, canonicalBody }) => requestDigest({ method: "POST", path, canonicalBody }),
    async sell(request) {
      const { walletHash, key, op, req } = request;
      const res = bodyDigest(request.answer);
      if (key === null) return withoutReplay(await billing.charge({ walletHash, op, req, res }));

      const location = locationOf({ ...request, key });
      const sealed = seal.seal(request.answer, location.binding);
      const isLarge = Buffer.byteLength(sealed, "base64url") > SEALED_RESPONSE_MAX;
      if (isLarge) await answers.keep({ name: location.name, res, sealed, endsAt: now() + ANSWER_TTL_MS });
      const billed = await billing.charge({ walletHash, key, op, req, res, ...(!isLarge && { sealed }) });
      if (billed.kind !== "replayed") return billed;
      const replayed = await opened(billed, location);
      if (replayed === null)
        throw new Error(
          `The stored response of charge ${billed.chargeId} has expired, or was encrypted with a different secret.`,
        );
      return replayed;
    },
    async recall(call) {
      const { walletHash, key, op, req } = call;
      const charge = await rail.delivered({ wallet_hash: walletHash, key, op, req });
      if (charge === null) return null;
      const { charge_id: chargeId, balance_micro: balanceMicro, receipt, response: sealed } = charge;
      const meter = { balanceMicro, spendableMicro: charge.spendable_micro ?? balanceMicro };
      return await opened({ chargeId, ...meter, receipt, sealed }, locationOf(call));
    },
  };

  /** Null if the response has expired or cannot be decrypted here. */
  async function opened({ sealed, ...billed }: SealedAnswer, { name, binding }: SealLocation): Promise<Replay | null> {
    const stored = sealed ?? (await answers.find({ name, res: answerOf(billed.receipt) }));
    const answer = stored === null ? null : seal.open(stored, binding);
    if (answer === null) return null;
    const { chargeId, receipt, balanceMicro, spendableMicro } = billed;
    return { kind: "replayed", chargeId, receipt, balanceMicro, spendableMicro, answer };
  }
}

type SealedAnswer = Pick<Replayed, "chargeId" | "receipt" | "balanceMicro" | "spendableMicro" | "sealed">;

/** Name of the stored response, and the data to which its encryption is bound. */
interface SealLocation {
  readonly name: string;
  readonly binding: string;
}

function locationOf({ walletId, op, key, req }: KeyedCall): SealLocation {
  const name = createHash("sha256").update(`${walletId} ${op} ${key}`).digest("hex");
  return { name, binding: `${walletId} ${op} ${key} ${req}` };
}

function withoutReplay(billed: Awaited<ReturnType<Billing["charge"]>>): SellResult {
  if (billed.kind === "replayed")
    throw new Error(`The rail replayed charge ${billed.chargeId} for a request without an idempotency key.`);
  return billed;
}

/** Reads `res` of a receipt. The rail has just signed it, so the signature is not verified. */
function answerOf(receipt: string): string {
  const [, payload = ""] = receipt.split(".");
  const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
  const res = typeof claims === "object" && claims !== null && "res" in claims ? claims.res : null;
  return typeof res === "string" ? res : "";
}
