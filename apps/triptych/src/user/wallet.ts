import { Command } from "commander";
import { onCall, type Context } from "./context.ts";
import { UsageError } from "./profile.ts";

const MICRO = 1_000_000;

export function walletCommands(context: Context): Command {
  const wallet = new Command("wallet").description("your prepaid wallet for decisions").exitOverride();
  const balance = wallet.command("balance").description("show the balance");
  onCall(balance, context, "rail", async ({ triptych, print }) => {
    const body = await triptych.rail.wallet.get();
    print(body, () => `${body.wallet_id}  ${euros(body.balance_micro)}  ${body.status}`);
  });
  const topup = wallet.command("topup").description("top up the wallet, and print where to pay");
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
  return wallet;
}

function euros(micro: number): string {
  return `${(micro / MICRO).toFixed(4)} €`;
}

/** Digits, so that no binary fraction becomes money. */
function microIn(text: string): number {
  const match = /^(\d{1,6})(?:[.,](\d{1,2}))?$/.exec(text);
  if (match === null) throw new UsageError("Write an amount in euros, such as 10 or 12.50.");
  const [, whole = "", cents = ""] = match;
  return Number(whole) * MICRO + Number(cents.padEnd(2, "0")) * 10_000;
}
