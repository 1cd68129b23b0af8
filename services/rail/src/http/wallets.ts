import type { BodyOf, changeWallet, closeWallet, createWallet, getWallet, rotateToken } from "@triptych/contracts";
import { Problem, type RequestContext, type ValidationErrors } from "@triptych/server";
import type { FastifyReply } from "fastify";
import type { AutoTopupSetting } from "../domain/auto-topup.ts";
import { NO_CAPS, type Caps } from "../domain/caps.ts";
import { autoTopupChangedEmail } from "../domain/email-templates.ts";
import { openWallet, type OpenedWallet } from "../domain/open-wallet.ts";
import type { PaymentProvider } from "../domain/payments.ts";
import type { Rail } from "../domain/rail.ts";
import { mailVerification } from "../domain/recovery.ts";
import { judgeStarter } from "../domain/starter-credit.ts";
import { answerOnce } from "./idempotent-handler.ts";
import { walletOf, type Caller, invalidToken } from "./identify.ts";
import { isoTime, toCreatedWalletResponse, toWalletResponse } from "./response-mappers.ts";

export function createWalletHandler(rail: Rail) {
  return async (context: RequestContext<typeof createWallet, Caller>): Promise<unknown> => {
    const { body, request, reply } = context;
    reply.header("Cache-Control", "no-store");
    const wait = await rail.access.creating(request.ip);
    if (wait !== null) throw tooMany(wait);
    const network = rail.networkName(request.ip);
    const emailLookup = rail.emails.lookup(body.email);
    const judge = judgeStarter({ ...rail, mustVerify: rail.mailer !== null, emailLookup, network, now: rail.now() });
    const opened: OpenedWallet[] = [];
    const answer = await answerOnce(rail, { context, caller: network, operation: "createWallet" }, async (ledger) => {
      const made = await openWallet({ ...rail, ledger }, { ...body, network, judge });
      opened.push(made);
      return { status: 201, body: toCreatedWalletResponse(rail, made) };
    });
    // Send the email after the commit, for the wallet that was created; a repeated response sends none.
    const made = opened.find(({ wallet }) => wallet.id === answer.wallet_id);
    if (made !== undefined) mailVerification(rail, made, body.email);
    return answer;
  };
}

function tooMany(wait: number): Problem {
  return new Problem("rate_limited", {
    detail: `Too many wallets created from this address in one hour. Wait ${wait} s.`,
    headers: { "Retry-After": String(wait) },
  });
}

export function getWalletHandler(rail: Rail) {
  return async ({ caller }: RequestContext<typeof getWallet, Caller>) => {
    const { token, ...wallet } = walletOf(caller);
    const auto = token === null ? await rail.ledger.autoTopup(wallet.id) : null;
    return toWalletResponse(rail, wallet, { auto, token });
  };
}

export interface LevelWatch {
  levelChanged(walletId: string): void;
}

export function changeWalletHandler(rail: Rail, watch: LevelWatch) {
  const { ledger, topUps } = rail;
  return {
    async handle({ caller, body, request }: RequestContext<typeof changeWallet, Caller>, errors: ValidationErrors) {
      addUnpayable(topUps.provider, body?.auto_topup, errors);
      errors.refuse();
      const { id } = walletOf(caller);
      const change = {
        ...(body.label !== undefined && { label: body.label }),
        ...(body.low_balance_micro !== undefined && { lowBalanceMicro: body.low_balance_micro }),
        ...(body.alerts !== undefined && { alerts: body.alerts }),
        ...(body.caps !== undefined && { caps: body.caps === null ? NO_CAPS : changedCaps(body.caps) }),
      };
      const wallet = await ledger.changeWallet(id, change);
      if (wallet === null || wallet.status === "closed") throw await invalidToken(rail.access, request);
      if (body.auto_topup !== undefined) {
        const setting = settingOf(body.auto_topup);
        await ledger.setAutoTopup(id, setting);
        await rail.mailOwner(id, (to) => autoTopupChangedEmail(rail.url(), to, { walletId: id, setting }));
      }
      watch.levelChanged(id);
      return toWalletResponse(rail, wallet, { auto: await ledger.autoTopup(id) });
    },
  };
}

function settingOf(setting: BodyOf<typeof changeWallet>["auto_topup"]): AutoTopupSetting | null {
  if (setting === null || setting === undefined) return null;
  const { threshold_micro: thresholdMicro, amount_micro: amountMicro, max_per_month: maxPerMonth } = setting;
  return { thresholdMicro, amountMicro, maxPerMonth };
}

/** Runs before schema errors are thrown, so the setting is untyped. */
function addUnpayable(
  { name, saved, minimumMicro }: PaymentProvider,
  setting: unknown,
  errors: ValidationErrors,
): void {
  if (typeof setting !== "object" || setting === null) return;
  if (saved === null) {
    const message = `Payments by ${name} cannot be made automatically.`;
    errors.add({ path: "/auto_topup", reason: "not_allowed", message });
  }
  const amountMicro = "amount_micro" in setting ? setting.amount_micro : null;
  if (typeof amountMicro !== "number" || amountMicro >= minimumMicro) return;
  const message = `\`amount_micro\` must be at least ${minimumMicro} with payments by ${name}.`;
  errors.add({ path: "/auto_topup/amount_micro", reason: "minimum", message });
}

function changedCaps({
  per_charge_micro,
  per_day_micro,
  per_month_micro,
}: NonNullable<BodyOf<typeof changeWallet>["caps"]>): Partial<Caps> {
  return {
    ...(per_charge_micro !== undefined && { per_charge: per_charge_micro }),
    ...(per_day_micro !== undefined && { per_day: per_day_micro }),
    ...(per_month_micro !== undefined && { per_month: per_month_micro }),
  };
}

export function closeWalletHandler(rail: Rail) {
  return async ({ caller, reply }: RequestContext<typeof closeWallet, Caller>): Promise<FastifyReply> => {
    await rail.ledger.closeWallet(walletOf(caller).id, rail.context());
    return reply.code(204).send();
  };
}

/**
 * With a grace period of 0, the calling token ends with the response. If the response is lost, the client can repeat
 * the call with the same key and the old token, and gets the same new token.
 */
export function rotateTokenHandler(rail: Rail) {
  return async (context: RequestContext<typeof rotateToken, Caller>): Promise<unknown> => {
    const { caller, body, request } = context;
    if (caller.kind !== "wallet" && caller.kind !== "past_token") throw await invalidToken(rail.access, request);
    const input = { context, caller: caller.tokenHash, operation: "rotateToken" };
    const rotation = answerOnce(rail, input, async (ledger) => {
      if (caller.kind === "past_token") throw new TokenDead();
      const { token, hash, hint } = rail.access.mint();
      const previousUntil = rail.now() + body.grace_seconds * 1000;
      const asking = { tokenHash: caller.tokenHash, clock: rail.now };
      const rotation = { asking, tokenHash: hash, tokenHint: hint, previousUntil, now: rail.now() };
      if (!(await ledger.rotateToken(caller.wallet.id, rotation))) throw new TokenDead();
      return { status: 200, body: { wallet_token: token, previous_valid_until: isoTime(previousUntil) } };
    });
    return await rotation.catch(async (error: unknown) => {
      throw error instanceof TokenDead ? await invalidToken(rail.access, request) : error;
    });
  };
}

class TokenDead extends Error {}
