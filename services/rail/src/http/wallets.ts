import type { changeWallet, closeWallet, createWallet, getWallet, rotateToken } from "@triptych/contracts";
import { Problem, type RequestContext } from "@triptych/server";
import type { FastifyReply } from "fastify";
import { openWallet, type OpenedWallet } from "../domain/open-wallet.ts";
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
    // After the commit, for the wallet that it created; none for a repeated response.
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
  return ({ caller }: RequestContext<typeof getWallet, Caller>) => toWalletResponse(rail, walletOf(caller));
}

export interface LevelWatch {
  levelChanged(walletId: string): void;
}

export function changeWalletHandler(rail: Rail, watch: LevelWatch) {
  return async ({ caller, body, request }: RequestContext<typeof changeWallet, Caller>) => {
    const change = {
      ...(body.label !== undefined && { label: body.label }),
      ...(body.low_balance_micro !== undefined && { lowBalanceMicro: body.low_balance_micro }),
    };
    const wallet = await rail.ledger.changeWallet(walletOf(caller).id, change);
    if (wallet === null || wallet.status === "closed") throw await invalidToken(rail.access, request);
    watch.levelChanged(wallet.id);
    return toWalletResponse(rail, wallet);
  };
}

export function closeWalletHandler(rail: Rail) {
  return async ({ caller, reply }: RequestContext<typeof closeWallet, Caller>): Promise<FastifyReply> => {
    await rail.ledger.closeWallet(walletOf(caller).id, rail.context());
    return reply.code(204).send();
  };
}

/**
 * With a grace of 0 the calling token ends with the response. If the response is lost, the client repeats the call with
 * the same key and the ended token, and gets the same new token.
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
