/**
 * What a top-up's event does to the top-up and to its wallet, in one piece of work: the state table decides whether anything happens,
 * so that money moves once whatever is said how often. What a provider says about giving money back is followed as facts, which
 * may have come before the payment itself.
 */
import { accounts } from "./accounts.ts";
import type { UnitOfWork, LedgerWallet } from "./unit-of-work.ts";
import { creditTopup, takeBackTopup, type Operated, type PaidTopup } from "./movements.ts";
import { post, type Context, type Posted } from "./post-entry.ts";
import { eventOwed, isAboutMoneyBack, type TopupFact } from "./provider-events.ts";
import { topupAfter, type LedgerTopup, type TopupEvent } from "./topup-state.ts";

export interface Settling {
  readonly topup: LedgerTopup;
  readonly event: TopupEvent;
  /** All that its provider has said so far, this event included if it came from there. */
  readonly facts?: readonly TopupFact[];
  /** What the wallet owes by now after earlier refunds and disputes. */
  readonly owedMicro: number;
  readonly by?: Operated | undefined;
  readonly context: Context;
}

/** The top-up after the event, or null when the event changes nothing. */
export function settleTopup(unit: UnitOfWork, wallet: LedgerWallet, settling: Settling): LedgerTopup | null {
  const { topup, event, facts = [] } = settling;
  const isFact = isAboutMoneyBack(event.kind) && facts.some(({ kind }) => kind === event.kind);
  // Of what an operator does, only a payment lets old facts speak: his refund must not be taken back by an old dispute that was won.
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
 * A dispute was won: the payment is ours again. What the wallet still owes is settled first, because it was spent and never taken
 * from it; the rest is credited. The wallet stays frozen until an operator says otherwise.
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
