import type { createTopup, getTopup, listTopups } from "@triptych/contracts";
import { Problem, type RequestContext, type ValidationErrors } from "@triptych/server";
import { ProviderUnavailable } from "../domain/payments.ts";
import type { Rail } from "../domain/rail.ts";
import type { LedgerTopup } from "../domain/topup-state.ts";
import { answerInSteps, type Steps } from "./idempotent-handler.ts";
import { walletOf, type Caller } from "./identify.ts";
import { PAGE_DEFAULT, pageOf, readCursor } from "./cursors.ts";
import { toTopupResponse, spendableOf } from "./response-mappers.ts";

export function createTopupHandler(rail: Rail) {
  return {
    async handle(context: RequestContext<typeof createTopup, Caller>, errors: ValidationErrors) {
      const wallet = walletOf(context.caller);
      addTooSmall(rail, context.body?.amount_micro, errors);
      errors.refuse();
      if (wallet.status === "frozen") throw new Problem("wallet_frozen");
      const input = { context, caller: wallet.id, operation: "createTopup" };
      return await answerInSteps(rail, input, stepsOf(rail, wallet.id, context.body)).catch(refuseUnavailable);
    },
  };
}

function addTooSmall({ topUps }: Rail, amountMicro: unknown, errors: ValidationErrors): void {
  const { minimumMicro, name } = topUps.provider;
  if (typeof amountMicro !== "number" || amountMicro >= minimumMicro) return;
  const message = `\`amount_micro\` must be at least ${minimumMicro} with payments by ${name}.`;
  errors.add({ path: "/amount_micro", reason: "minimum", message });
}

function stepsOf(rail: Rail, walletId: string, body: RequestContext<typeof createTopup, Caller>["body"]) {
  const { amount_micro: amountMicro, success_url: successUrl, cancel_url: cancelUrl } = body;
  const ask = { walletId, amountMicro, successUrl, cancelUrl };
  const { ledger, topUps } = rail;
  const toResponse = async (topup: LedgerTopup) => ({
    status: 201,
    body: toTopupResponse(topup, await balanceOf(rail, walletId)),
  });
  const found = async (id: string): Promise<LedgerTopup> => {
    const topup = await ledger.topup(id);
    if (topup === null) throw new Error(`the top-up ${id} is missing after its creation`);
    return topup;
  };
  return {
    begin: async (creating) => (await topUps.begin(ask, creating)).id,
    isInProgress: (id) => topUps.isInProgress(id),
    finish: async (id) => toResponse(await topUps.finish(await found(id), ask)),
    abandon: (id) => topUps.abandon(id),
    whole: async () => toResponse(await topUps.start(ask)),
  } satisfies Steps<ReturnType<typeof toTopupResponse>>;
}

export function refuseUnavailable(error: unknown): never {
  if (!(error instanceof ProviderUnavailable)) throw error;
  throw new Problem("provider_unavailable", { cause: error, headers: { "Retry-After": "5" } });
}

export async function balanceOf({ ledger, clock }: BalanceAsk, walletId: string): Promise<number> {
  const wallet = await ledger.wallet(walletId);
  return wallet === null ? 0 : spendableOf(wallet, { clock }).balanceMicro;
}

interface BalanceAsk {
  readonly ledger: Pick<Rail["ledger"], "wallet">;
  readonly clock: Rail["clock"];
}

export function getTopupHandler({ ledger, clock }: Rail) {
  return async ({ caller, params }: RequestContext<typeof getTopup, Caller>) => {
    const wallet = walletOf(caller);
    const topup = await ledger.topup(params.id);
    if (topup === null || topup.walletId !== wallet.id) throw new Problem("topup_not_found");
    return toTopupResponse(topup, spendableOf(wallet, { clock }).balanceMicro);
  };
}

export const TOPUP_CURSOR = /^top_[0-9a-z]{1,40}$/;

export function listTopupsHandler({ ledger, clock }: Rail) {
  return {
    async handle({ caller, query }: RequestContext<typeof listTopups, Caller>, errors: ValidationErrors) {
      const { limit = PAGE_DEFAULT } = query;
      const before = readCursor(query.cursor, TOPUP_CURSOR, errors);
      errors.refuse();
      const wallet = walletOf(caller);
      const topups = await ledger.topups({ walletId: wallet.id, states: [], before, limit: limit + 1 });
      const { items, next_cursor } = pageOf(topups, limit, (last) => last.id);
      const { balanceMicro } = spendableOf(wallet, { clock });
      return { items: items.map((topup) => toTopupResponse(topup, balanceMicro)), next_cursor };
    },
  };
}
