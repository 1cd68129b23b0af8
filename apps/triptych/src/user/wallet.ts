import type { AnswerOf, getWallet } from "@triptych/contracts";
import { Command } from "commander";
import { onCall, type Context } from "./context.ts";
import { euros, microIn } from "./euros.ts";
import { UsageError } from "./profile.ts";
import { addCaps, addTokens } from "./wallet-limits.ts";

export function walletCommands(context: Context): Command {
  const wallet = new Command("wallet").description("your prepaid wallet for decisions").exitOverride();
  const balance = wallet.command("balance").description("show the balance");
  onCall(balance, context, "rail", async ({ triptych, print }) => {
    const body = await triptych.rail.wallet.get();
    print(body, () => `${body.wallet_id}  ${euros(body.balance_micro)}  ${body.status}`);
  });
  const topup = wallet.command("topup").description("top up the wallet and print the payment link");
  onCall(
    topup.argument("<euros>", "amount such as 10 or 12.50"),
    context,
    "rail",
    async ({ triptych, args, print }) => {
      const body = await triptych.rail.topups.create({ amount_micro: microIn(args[0] ?? "") });
      print(body, () =>
        body.checkout_url === null
          ? `${body.topup_id} ${body.status}: ${euros(body.amount_micro)}, balance ${euros(body.balance_micro)}`
          : `${body.topup_id} ${body.status}: pay ${euros(body.amount_micro)} at ${body.checkout_url}`,
      );
    },
  );
  addAutoTopup(wallet, context);
  addCaps(wallet, context);
  addTokens(wallet, context);
  return wallet;
}

interface AutoTopupOptions {
  readonly below?: string;
  readonly maxPerMonth?: string;
  readonly off?: true;
}

function addAutoTopup(wallet: Command, context: Context): void {
  const command = wallet
    .command("auto-topup")
    .description("show or set automatic top-ups, charged to the payment method that the next top-up saves")
    .argument("[euros]", "amount of each top-up, such as 10")
    .option("--below <euros>", "top up when a charge takes the balance below this")
    .option("--max-per-month <count>", "maximum number of top-ups per UTC month")
    .option("--off", "switch off, and delete the payment method");
  onCall<AutoTopupOptions>(command, context, "rail", async ({ triptych, args, print }, options) => {
    const auto_topup = settingIn(args[0], options);
    const body =
      auto_topup === undefined ? await triptych.rail.wallet.get() : await triptych.rail.wallet.change({ auto_topup });
    print(body.auto_topup, () => describe(body.auto_topup));
  });
}

/** Undefined means that the command only shows the setting. */
function settingIn(amount: string | undefined, { below, maxPerMonth, off }: AutoTopupOptions) {
  const given = [amount, below, maxPerMonth].filter((value) => value !== undefined);
  if (off === true) {
    if (given.length > 0) throw new UsageError("--off cannot be combined with an amount or limits.");
    return null;
  }
  if (given.length === 0) return undefined;
  if (amount === undefined || below === undefined || maxPerMonth === undefined)
    throw new UsageError(
      "Give the amount, --below and --max-per-month together, such as 10 --below 2 --max-per-month 3.",
    );
  if (!/^\d{1,3}$/.test(maxPerMonth)) throw new UsageError("--max-per-month must be a whole number.");
  return { amount_micro: microIn(amount), threshold_micro: microIn(below), max_per_month: Number(maxPerMonth) };
}

function describe(auto: AnswerOf<typeof getWallet>["auto_topup"]): string {
  if (auto === null) return "Automatic top-up is off.";
  const { amount_micro, threshold_micro, max_per_month, status, stop_reason } = auto;
  const about = `${euros(amount_micro)} when the balance falls below ${euros(threshold_micro)}, at most ${max_per_month} a month`;
  switch (status) {
    case "active":
      return `active: ${about}`;
    case "needs_payment_method":
      return `needs a payment method, which the next top-up saves: ${about}`;
    case "stopped":
      return `stopped (${stop_reason}): ${about}. Set it again to resume.`;
  }
}
