/**
 * Applies an event to a top-up and its wallet in one unit of work. The state table decides, so repeated events move
 * money only once. Facts about returned money may arrive before the payment.
 */
import { accounts } from "./entry.ts";
import type { UnitOfWork, LedgerWallet } from "./unit-of-work.ts";
import { creditTopup, takeBackTopup, type Operated, type PaidTopup } from "./movements.ts";
import { post, type Context, type Posted } from "./post-entry.ts";
import { eventOwed, isAboutMoneyBack, type TopupFact } from "./provider-events.ts";
import { topupAfter, type LedgerTopup, type TopupEvent } from "./topup-state.ts";

export interface Settling {
  readonly topup: LedgerTopup;
  readonly event: TopupEvent;
  readonly facts?: readonly TopupFact[];
  readonly owedMicro: number;
  readonly by?: Operated | undefined;
  readonly context: Context;
}

export function settleTopup(unit: UnitOfWork, wallet: LedgerWallet, settling: Settling): LedgerTopup | null {
  const { topup, event, facts = [] } = settling;
  const isFact = isAboutMoneyBack(event.kind) && facts.some(({ kind }) => kind === event.kind);
  // Among operator events, only a payment applies old facts: an old won dispute must not undo an operator's refund.
  const applicableFacts = isFact || event.kind === "paid" ? facts : [];
  let after = isFact ? null : step(unit, wallet, settling);
  for (;;) {
    const current = after ?? topup;
    const owed = eventOwed(current.state, applicableFacts);
    const next = owed === null ? null : step(unit, wallet, { ...settling, topup: current, event: owed });
    if (next === null) return after;
    after = next;
  }
}

function step(unit: UnitOfWork, before: LedgerWallet, settling: Settling): LedgerTopup | null {
  const { topup, event } = settling;
  const change = topupAfter(topup, event);
  if (change === null) return null;
  const wallet = unit.wallet(before.id) ?? before;
  const posted = change.money === null ? null : move(unit, wallet, { ...settling, money: change.money });
  const credited = posted !== null && change.money !== "take_back";
  return {
    ...topup,
    state: change.state,
    entryId: credited ? posted.entry.id : topup.entryId,
    checkAt: change.state === "pending" ? topup.checkAt : null,
  };
}

type Money = "credit" | "take_back" | "give_again";

function move(unit: UnitOfWork, wallet: LedgerWallet, settling: Settling & { readonly money: Money }): Posted {
  const { topup, event, owedMicro, context, by } = settling;
  const paid: PaidTopup = { topupId: topup.id, provider: topup.provider, amountMicro: topup.amountMicro };
  const operated = by !== undefined && { by };
  switch (settling.money) {
    case "credit":
      return creditTopup(unit, wallet, { topup: paid, ...operated, context });
    case "take_back": {
      const kind = event.kind === "disputed" ? "dispute" : "refund";
      return takeBackTopup(unit, wallet, {
        topup: { ...paid, kind, reverses: topup.entryId },
        ...operated,
        context,
      });
    }
    case "give_again":
      return giveAgain(unit, wallet, { topup: paid, owedMicro, ...operated, context });
  }
}

/**
 * A dispute was won, so the payment counts again. It first settles the debt (money that was spent but never collected);
 * the rest is credited. The wallet stays frozen until an operator unfreezes it.
 */
function giveAgain(
  unit: UnitOfWork,
  wallet: LedgerWallet,
  input: { topup: PaidTopup; owedMicro: number; by?: Operated; context: Context },
): Posted {
  const { topupId, provider, amountMicro } = input.topup;
  const settledMicro = Math.min(input.owedMicro, amountMicro);
  const cash = accounts.cash(provider);
  return post(
    unit,
    wallet,
    {
      kind: "topup",
      topupId,
      legs: [{ bucket: "paid", amountMicro: amountMicro - settledMicro, against: cash }],
      beside: [{ debit: cash, credit: accounts.receivable(wallet.id), amountMicro: settledMicro }],
      ...input.by,
    },
    input.context,
  );
}
