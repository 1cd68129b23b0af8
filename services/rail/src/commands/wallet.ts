import {
  adminAdjustWallet,
  adminCreateWallet,
  adminFreezeWallet,
  adminGetWallet,
  adminUnfreezeWallet,
  type AnswerOf,
} from "@triptych/contracts";
import { addJsonOption, addYesOption, confirmOrRefuse, printResult } from "@triptych/terminal";
import type { Command } from "commander";
import { euros, parseAmount } from "./refunds.ts";
import { withOperator } from "./operator-client.ts";
import { actOf, withReason, type OperatorOptions } from "./operator-options.ts";
import { usageError, say, type CliContext } from "./cli-context.ts";

export function addWalletCommands(rail: Command, context: CliContext): void {
  const { stdout, stderr } = context;
  const wallet = rail.command("wallet").description("create, show, freeze and adjust wallets");

  addJsonOption(wallet.command("create"))
    .description("create a wallet and print its token once; it cannot be shown again")
    .requiredOption("--email <address>", "email address of the owner, stored encrypted")
    .option("--label <text>", "name of the wallet")
    .action(async ({ email, label }: CreateOptions, command: Command) => {
      const body = { email, ...(label !== undefined && { label }) };
      const created = await withOperator(context, (client) => client.call(adminCreateWallet, { body }));
      printResult(command, stdout, { json: created.body, text: () => created.body.wallet_token });
      say(
        stderr,
        `Created ${created.body.wallet_id} with ${euros(created.body.balance_micro)}. Save the token above: it is not stored and cannot be shown again.`,
      );
    });

  addJsonOption(wallet.command("show"))
    .description("show a wallet, without its token")
    .argument("<id>", "wal_…")
    .action(async (id: string, _options, command: Command) => {
      const params = { id };
      const { body } = await withOperator(context, (client) => client.call(adminGetWallet, { params }));
      printResult(command, stdout, { json: body, text: () => describe(body) });
    });

  for (const [name, endpoint, does] of [
    ["freeze", adminFreezeWallet, "freeze a wallet; charges are rejected until it is unfrozen"],
    ["unfreeze", adminUnfreezeWallet, "unfreeze a wallet; charges are accepted again"],
  ] as const) {
    const command = addJsonOption(wallet.command(name).description(does).argument("<id>", "wal_…"));
    withReason(name === "freeze" ? addYesOption(command) : command).action(
      async (id: string, options: OperatorOptions) => {
        const body = actOf(options, context, command);
        if (name === "freeze") await confirmOrRefuse(command, `Freeze ${id}? Its charges are rejected from then on.`);
        const done = await withOperator(context, (client) => client.call(endpoint, { params: { id }, body }));
        printResult(command, stdout, { json: done.body, text: () => `${id} is ${done.body.status}.` });
      },
    );
  }

  withReason(
    addJsonOption(wallet.command("adjust"))
      .description("add to or subtract from the paid balance of a wallet")
      .argument("<id>", "wal_…")
      .requiredOption("--amount <euros>", "euros such as 12.50 or -3, or micro-euros such as 500micro", parseAmount)
      .option("--key <text>", "Idempotency-Key; repeating the command adjusts the wallet once"),
  ).action(async (id: string, options: AdjustOptions, command: Command) => {
    if (options.amount === 0) usageError(command, "--amount must not be 0");
    const body = { ...actOf(options, context, command), amount_micro: options.amount };
    const keyed = options.key !== undefined && { idempotencyKey: options.key };
    const done = await withOperator(context, (client) =>
      client.call(adminAdjustWallet, { params: { id }, body, ...keyed }),
    );
    const { balance_micro, paid_micro } = done.body;
    printResult(command, stdout, {
      json: done.body,
      text: () => `${id}: balance ${euros(balance_micro)}, of which ${euros(paid_micro)} paid.`,
    });
  });
}

interface CreateOptions {
  readonly email: string;
  readonly label?: string;
}

interface AdjustOptions extends OperatorOptions {
  readonly amount: number;
  readonly key?: string;
}

function describe(wallet: AnswerOf<typeof adminGetWallet>): string {
  const lines = [
    ["wallet", wallet.wallet_id],
    ["status", wallet.status],
    ["label", wallet.label ?? "-"],
    ["email", wallet.email_masked ?? "cannot be decrypted"],
    ["token", `…${wallet.token_hint}`],
    ["balance", `${euros(wallet.balance_micro)} (${wallet.decisions_remaining} decisions)`],
    ["paid", euros(wallet.paid_micro)],
    ["promo", promoText(wallet)],
    ["warning", wallet.low_balance_micro === 0 ? "never" : `below ${euros(wallet.low_balance_micro)}`],
    ["created", wallet.created_at],
  ];
  return lines.map(([name, value]) => `${(name ?? "").padEnd(9)} ${value}`).join("\n");
}

function promoText({ promo_micro: micro, promo_expires_at: end }: AnswerOf<typeof adminGetWallet>): string {
  return end === null ? euros(micro) : `${euros(micro)}, expires ${end}`;
}
