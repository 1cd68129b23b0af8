/** Email flows: a new token to replace a lost one, and credit for a verified address. */
import type {
  recoverWallet as askRecovery,
  redeemRecovery,
  verifyWallet as askVerification,
} from "@triptych/contracts";
import { Problem, validationFailed, type RequestContext } from "@triptych/server";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { CodeUse } from "../domain/one-time-codes.ts";
import type { Rail } from "../domain/rail.ts";
import { mailRecovery, recoverWallet, verifyWallet } from "../domain/recovery.ts";
import type { Caller } from "./identify.ts";
import { spendableOf } from "./response-mappers.ts";

/** Responds before any lookup, so that neither content nor timing reveals whether the address is known. */
export function recoverWalletHandler(rail: Rail) {
  return async ({ body, request, reply }: RequestContext<typeof askRecovery, Caller>): Promise<FastifyReply> => {
    await refuseTooMany(rail, request);
    mailRecovery(rail, body.email).catch((error: unknown) => request.log.error({ err: error }, "recovery failed"));
    return reply.code(202).header("Cache-Control", "no-store").send();
  };
}

export function redeemRecoveryHandler(rail: Rail) {
  return async ({ body, request, reply }: RequestContext<typeof redeemRecovery, Caller>) => {
    await refuseTooMany(rail, request);
    reply.header("Cache-Control", "no-store");
    const { walletId, token } = requireOpenWallet(requireValidCode(await recoverWallet(rail, body.code)));
    return { wallet_id: walletId, wallet_token: token };
  };
}

export function verifyWalletHandler(rail: Rail) {
  return async ({ body, request, reply }: RequestContext<typeof askVerification, Caller>) => {
    await refuseTooMany(rail, request);
    reply.header("Cache-Control", "no-store");
    const network = rail.networkName(request.ip);
    const { wallet, starter } = requireOpenWallet(
      requireValidCode(await verifyWallet(rail, { code: body.code, network })),
    );
    const { balanceMicro, promoMicro } = spendableOf(wallet, rail);
    const starter_credit = { amount_micro: promoMicro, status: starter };
    return { wallet_id: wallet.id, balance_micro: balanceMicro, starter_credit };
  };
}

async function refuseTooMany({ access }: Rail, request: FastifyRequest): Promise<void> {
  const wait = await access.mailing(request.ip);
  if (wait === null) return;
  throw new Problem("rate_limited", {
    detail: `Too many email requests from this address in one hour. Wait ${wait} s.`,
    headers: { "Retry-After": String(wait) },
  });
}

function requireValidCode<T>(use: CodeUse<T>): T {
  if (use.kind !== "done") throw badCode(use.kind);
  return use.result;
}

/** A closed wallet stays closed, even if emails are still in transit. */
function requireOpenWallet<T>(outcome: T | null): T {
  if (outcome === null) throw badCode("closed");
  return outcome;
}

const SENTENCES = {
  invalid: "The code is invalid. Copy the complete link from the email.",
  expired: "The code has expired. Request another mail.",
  used: "The code was already used. Request another mail.",
  closed: "The wallet of this code is permanently closed. Create another wallet.",
} as const;

function badCode(reason: keyof typeof SENTENCES): Problem {
  return validationFailed([{ path: "/code", reason, message: SENTENCES[reason] }]);
}
