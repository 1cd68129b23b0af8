import type {
  adminAdjustWallet,
  adminCreateWallet,
  adminFreezeWallet,
  adminGetWallet,
  adminUnfreezeWallet,
} from "@triptych/contracts";
import { Problem, type RequestContext, type ValidationErrors } from "@triptych/server";
import type { CreatingLedger, WalletRecord } from "../../domain/ledger.ts";
import { openWallet } from "../../domain/open-wallet.ts";
import type { Rail } from "../../domain/rail.ts";
import { judgeByOperator } from "../../domain/starter-credit.ts";
import { answerOnce } from "../idempotent-handler.ts";
import type { Caller } from "../identify.ts";
import { toCreatedWalletResponse, toWalletResponse } from "../response-mappers.ts";

/** Rate-limit key of operators, instead of a network. */
const OPERATOR = "operator";

export function adminCreateWalletHandler(rail: Rail) {
  return (context: RequestContext<typeof adminCreateWallet, Caller>): Promise<unknown> =>
    answerOnce(rail, { context, caller: OPERATOR, operation: "adminCreateWallet" }, async (ledger) => {
      const input = { ...context.body, network: OPERATOR, judge: judgeByOperator(rail.mode) };
      return { status: 201, body: toCreatedWalletResponse(rail, await openWallet({ ...rail, ledger }, input)) };
    });
}

export function adminGetWalletHandler(rail: Rail) {
  return async ({ params }: RequestContext<typeof adminGetWallet, Caller>) =>
    walletAnswer(rail, await found(rail, params.id));
}

async function walletAnswer(
  rail: Pick<Rail, "emails" | "clock"> & { readonly ledger: Pick<CreatingLedger, "autoTopup"> },
  wallet: WalletRecord,
) {
  return toWalletResponse(rail, wallet, { auto: await rail.ledger.autoTopup(wallet.id) });
}

async function found(
  { ledger }: { readonly ledger: Pick<CreatingLedger, "wallet"> },
  id: string,
): Promise<WalletRecord> {
  const wallet = await ledger.wallet(id);
  if (wallet === null) throw new Problem("wallet_not_found");
  return wallet;
}

export function adminSetFrozenHandler(rail: Rail, { frozen }: { readonly frozen: boolean }) {
  return async ({ params, body }: RequestContext<typeof adminFreezeWallet | typeof adminUnfreezeWallet, Caller>) => {
    const wallet = await rail.ledger.setFrozen(params.id, frozen, { ...body, context: rail.context() });
    if (wallet === null) throw new Problem("wallet_not_found");
    if (wallet.status === "closed") throw new Problem("wallet_closed");
    return await walletAnswer(rail, wallet);
  };
}

export function adminAdjustWalletHandler(rail: Rail) {
  return {
    handle(context: RequestContext<typeof adminAdjustWallet, Caller>, errors: ValidationErrors): Promise<unknown> {
      if (context.body?.amount_micro === 0)
        errors.add({ path: "/amount_micro", reason: "zero", message: "`amount_micro` must not be 0." });
      errors.refuse();
      const input = { context, caller: OPERATOR, operation: "adminAdjustWallet" };
      return answerOnce(rail, input, async (ledger) => ({
        status: 200,
        body: await adjust({ ...rail, ledger }, context),
      }));
    },
  };
}

interface Adjusting extends Pick<Rail, "clock" | "context" | "emails"> {
  readonly ledger: CreatingLedger;
}

async function adjust(rail: Adjusting, { params, body }: RequestContext<typeof adminAdjustWallet, Caller>) {
  const { amount_micro: amountMicro, operator, reason } = body;
  const adjustment = { amountMicro, operator, reason, context: rail.context() };
  const outcome = await rail.ledger.adjust(params.id, adjustment);
  if (outcome === null) throw new Problem("wallet_not_found");
  if (outcome === "closed") throw new Problem("wallet_closed");
  if (outcome !== "too_low") return await walletAnswer(rail, outcome);
  const { paidMicro } = await found(rail, params.id);
  throw new Problem("balance_too_low", { members: { paid_micro: paidMicro } });
}
