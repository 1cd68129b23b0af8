/** Sub-tokens of a wallet, for its main token. */
import type {
  AnswerOf,
  BodyOf,
  createWalletToken,
  listWalletTokens,
  revokeWalletToken,
  TokenState,
} from "@triptych/contracts";
import { Problem, type RequestContext, type ValidationErrors } from "@triptych/server";
import type { FastifyReply } from "fastify";
import type { WalletRecord } from "../domain/ledger.ts";
import type { Rail } from "../domain/rail.ts";
import type { SubTokenRecord } from "../domain/sub-tokens.ts";
import { PAGE_DEFAULT, pageOf, readCursor } from "./cursors.ts";
import { answerOnce } from "./idempotent-handler.ts";
import { invalidToken, walletOf, type Caller } from "./identify.ts";
import { isoOrNull, isoTime, spendableOf, toCapsResponse, toSpentResponse } from "./response-mappers.ts";

export function createWalletTokenHandler(rail: Rail) {
  return {
    async handle(context: RequestContext<typeof createWalletToken, Caller>, errors: ValidationErrors) {
      addPast(context.body?.expires_at, rail.now(), errors);
      errors.refuse();
      const wallet = walletOf(context.caller);
      const call = { context, caller: wallet.id, operation: "createWalletToken" };
      const created = answerOnce(rail, call, async (ledger) => {
        const { token, hash, hint } = rail.access.mint();
        const input = newTokenOf(context.body);
        const about = { id: rail.newId("tok_"), walletId: wallet.id, tokenHash: hash, hint, now: rail.now() };
        const made = await ledger.createSubToken({ ...about, ...input });
        if (made === "closed") throw new WalletClosed();
        if (made === "too_many") throw new Problem("too_many_tokens");
        return { status: 201, body: { ...toTokenResponse(rail, wallet, made), wallet_token: token } };
      });
      return await created.catch(async (error: unknown) => {
        throw error instanceof WalletClosed ? await invalidToken(rail.access, context.request) : error;
      });
    },
  };
}

class WalletClosed extends Error {}

function addPast(expiresAt: unknown, now: number, errors: ValidationErrors): void {
  if (typeof expiresAt !== "string" || !(Date.parse(expiresAt) <= now)) return;
  errors.add({ path: "/expires_at", reason: "past", message: "`expires_at` must be in the future." });
}

function newTokenOf({ name, caps, ops, expires_at }: BodyOf<typeof createWalletToken>) {
  return {
    name,
    caps: {
      per_charge: caps?.per_charge_micro ?? null,
      per_day: caps?.per_day_micro ?? null,
      per_month: caps?.per_month_micro ?? null,
      total: caps?.total_micro ?? null,
    },
    ops: ops ?? null,
    expiresAt: expires_at === undefined ? null : Date.parse(expires_at),
  };
}

const TOKEN_CURSOR = /^tok_[0-9a-z]{1,40}$/;

export function listWalletTokensHandler(rail: Rail) {
  return {
    async handle({ caller, query }: RequestContext<typeof listWalletTokens, Caller>, errors: ValidationErrors) {
      const { limit = PAGE_DEFAULT } = query;
      const before = readCursor(query.cursor, TOKEN_CURSOR, errors);
      errors.refuse();
      const wallet = walletOf(caller);
      const tokens = await rail.ledger.subTokens(wallet.id, { before, limit: limit + 1 });
      const { items, next_cursor } = pageOf(tokens, limit, (last) => last.id);
      return { items: items.map((token) => toTokenResponse(rail, wallet, token)), next_cursor };
    },
  };
}

export function revokeWalletTokenHandler(rail: Rail) {
  return async ({ caller, params, reply }: RequestContext<typeof revokeWalletToken, Caller>): Promise<FastifyReply> => {
    const { id: walletId } = walletOf(caller);
    if (!(await rail.ledger.revokeSubToken(walletId, params.id, rail.now()))) throw new Problem("token_not_found");
    return reply.code(204).send();
  };
}

type TokenResponse = AnswerOf<typeof listWalletTokens>["items"][number];

function toTokenResponse({ clock, now }: Pick<Rail, "clock" | "now">, wallet: WalletRecord, token: SubTokenRecord) {
  const response: TokenResponse = {
    token_id: token.id,
    name: token.name,
    token_hint: token.hint,
    state: stateOf(token, now()),
    caps: toCapsResponse(token.caps),
    ops: token.ops === null ? null : ([...token.ops] as TokenResponse["ops"]),
    spent: toSpentResponse(token.spend, clock.now()),
    spendable_micro: stateOf(token, now()) === "active" ? spendableOf(wallet, { clock, token }).spendableMicro : 0,
    created_at: isoTime(token.createdAt),
    expires_at: isoOrNull(token.expiresAt),
    revoked_at: isoOrNull(token.revokedAt),
  };
  return response;
}

function stateOf({ revokedAt, expiresAt }: SubTokenRecord, now: number): TokenState {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && expiresAt <= now ? "expired" : "active";
}
