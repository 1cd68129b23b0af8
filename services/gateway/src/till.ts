/**
 * The till: charges at the rail, and answers kept for replays. An answer is sealed before it is charged; what the rail would not take,
 * because it is too large, is on our own disk before the charge, so that no delivered key is ever without its bytes.
 */
import { createHash } from "node:crypto";
import { bodyDigest, requestDigest, type AnswerSeal, type Billing, type Replayed } from "@triptych/client/billing";
import { SEALED_RESPONSE_MAX } from "@triptych/contracts";
import type { AnswerStore } from "./domain/answer-store.ts";
import type { Order, Sale, Till } from "./domain/till.ts";

export interface TillParts {
  readonly billing: Billing;
  readonly seal: AnswerSeal;
  readonly answers: AnswerStore;
  readonly now: () => number;
}

/** As long as the rail keeps what it was given, counted from its delivery; and the time that a charge may take to get there. */
const KEPT_MS = (7 * 24 + 1) * 3_600_000;

export function createTill({ billing, seal, answers, now }: TillParts): Till {
  return {
    admit: (asking) => billing.admit(asking),
    async sell(order) {
      const { walletHash, walletId, key, op, path, canonicalBody } = order;
      const req = requestDigest({ method: "POST", path, canonicalBody });
      const res = bodyDigest(order.answer);
      if (key === null) return withoutReplay(await billing.charge({ walletHash, op, req, res }));

      const binding = `${walletId} ${op} ${key} ${req}`;
      const name = nameOf(order);
      const sealed = seal.seal(order.answer, binding);
      const isLarge = Buffer.byteLength(sealed, "base64url") > SEALED_RESPONSE_MAX;
      if (isLarge) await answers.keep({ name, res, sealed, endsAt: now() + KEPT_MS });
      const billed = await billing.charge({ walletHash, key, op, req, res, ...(!isLarge && { sealed }) });
      if (billed.kind !== "replayed") return billed;
      const { kind, chargeId, receipt, balanceMicro } = billed;
      const kept = await keptAnswer(billed, name);
      const answer = kept === null ? null : seal.open(kept, binding);
      if (answer === null)
        throw new Error(`The answer of charge ${chargeId} is not kept any more, or was sealed with another secret.`);
      return { kind, chargeId, receipt, balanceMicro, answer };
    },
  };

  async function keptAnswer({ sealed, receipt }: Replayed, name: string): Promise<string | null> {
    return sealed ?? (await answers.find({ name, res: answerOf(receipt) }));
  }
}

function withoutReplay(billed: Awaited<ReturnType<Billing["charge"]>>): Sale {
  if (billed.kind === "replayed")
    throw new Error(`The rail replayed charge ${billed.chargeId} for a call without a key.`);
  return billed;
}

function nameOf({ walletId, op, key }: Order): string {
  return createHash("sha256").update(`${walletId} ${op} ${key}`).digest("hex");
}

/** `res` of a receipt: the rail has signed it a moment ago, so it is read and not verified. */
function answerOf(receipt: string): string {
  const [, payload = ""] = receipt.split(".");
  const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
  const res = typeof claims === "object" && claims !== null && "res" in claims ? claims.res : null;
  return typeof res === "string" ? res : "";
}
