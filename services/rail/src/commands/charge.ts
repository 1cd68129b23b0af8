import { adminGetCharge, adminRefundCharge, type AnswerOf } from "@triptych/contracts";
import { addJsonOption, addYesOption, confirmOrRefuse, printResult } from "@triptych/terminal";
import type { Command } from "commander";
import { euros } from "./refunds.ts";
import { withOperator } from "./operator-client.ts";
import { actOf, withReason, type OperatorOptions } from "./operator-options.ts";
import type { CliContext } from "./cli-context.ts";

export function addChargeCommands(rail: Command, context: CliContext): void {
  const { stdout } = context;
  const charge = rail.command("charge").description("show and refund charges");

  addJsonOption(charge.command("show"))
    .description("show a charge, its state and its receipt")
    .argument("<id>", "chg_…")
    .action(async (id: string, _options, command: Command) => {
      const params = { id };
      const { body } = await withOperator(context, (client) => client.call(adminGetCharge, { params }));
      printResult(command, stdout, { json: body, text: () => describe(body) });
    });

  withReason(
    addYesOption(addJsonOption(charge.command("refund")))
      .description("refund a delivered charge, at most once")
      .argument("<id>", "chg_…"),
  ).action(async (id: string, options: OperatorOptions, command: Command) => {
    const body = actOf(options, context, command);
    await confirmOrRefuse(command, `Refund ${id}?`);
    const done = await withOperator(context, (client) => client.call(adminRefundCharge, { params: { id }, body }));
    const { state, amount_micro, wallet_id } = done.body;
    printResult(command, stdout, {
      json: done.body,
      text: () => `${id} is ${state}: refunded ${euros(amount_micro)} to ${wallet_id}.`,
    });
  });
}

function describe(charge: AnswerOf<typeof adminGetCharge>): string {
  const lines = [
    ["charge", charge.charge_id],
    ["wallet", `${charge.wallet_id}, entry ${charge.wallet_seq}`],
    ["state", charge.void_reason === null ? charge.state : `${charge.state} (${charge.void_reason})`],
    ["price", `${charge.op}, ${charge.price_id}`],
    ["amount", `${euros(charge.amount_micro)}, balance after ${euros(charge.balance_after_micro)}`],
    ["created", charge.created_at],
    ["delivered", charge.delivered_at ?? "-"],
    ["voided", charge.voided_at ?? "-"],
    ["receipt", charge.receipt],
  ];
  return lines.map(([name, value]) => `${(name ?? "").padEnd(9)} ${value}`).join("\n");
}
