import {
  adminListTopups,
  adminRefundTopup,
  adminSettleTopup,
  TOPUP_STATES,
  type TopupState,
} from "@triptych/contracts";
import {
  addJsonOption,
  addYesOption,
  confirmOrRefuse,
  printResult,
  renderTable,
  timeText,
  widthOf,
} from "@triptych/terminal";
import { InvalidArgumentError, Option, type Command } from "commander";
import { euros } from "./refunds.ts";
import { withOperator } from "./operator-client.ts";
import { actOf, withReason, type OperatorOptions } from "./operator-options.ts";
import type { CliContext } from "./cli-context.ts";

interface ListOptions {
  readonly status?: TopupState;
  readonly wallet?: string;
  readonly limit: number;
}

export function addTopupCommands(rail: Command, context: CliContext): void {
  const { stdout } = context;
  const topup = rail.command("topup").description("list, settle and refund top-ups");

  addJsonOption(topup.command("list"))
    .description("list top-ups, newest first")
    .addOption(new Option("--status <status>", "only top-ups with this status").choices(TOPUP_STATES))
    .option("--wallet <id>", "only top-ups of this wallet")
    .option("--limit <number>", "maximum number of top-ups, 1 to 200", parseLimit, 50)
    .action(async ({ status, wallet, limit }: ListOptions, command: Command) => {
      const query = {
        limit,
        ...(status !== undefined && { status: [status] }),
        ...(wallet !== undefined && { wallet_id: wallet }),
      };
      const { body } = await withOperator(context, (client) => client.call(adminListTopups, { query }));
      const heads = ["id", "status", "provider", "amount", "created"];
      const rows = body.items.map((item) => [
        item.topup_id,
        item.status,
        item.provider,
        euros(item.amount_micro),
        timeText(Date.parse(item.created_at)),
      ]);
      printResult(command, stdout, {
        json: body.items,
        text: () => (rows.length === 0 ? "No top-ups." : renderTable({ heads, rows }, widthOf(stdout))),
      });
    });

  for (const [name, endpoint, does] of [
    ["settle", adminSettleTopup, "settle a pending or reviewed top-up: the money has arrived"],
    ["refund", adminRefundTopup, "refund a top-up, also at the payment provider"],
  ] as const) {
    const command = addJsonOption(topup.command(name).description(does).argument("<id>", "top_…"));
    withReason(name === "refund" ? addYesOption(command) : command).action(
      async (id: string, options: OperatorOptions) => {
        const body = actOf(options, context, command);
        if (name === "refund") await confirmOrRefuse(command, `Refund ${id}?`);
        const done = await withOperator(context, (client) => client.call(endpoint, { params: { id }, body }));
        const { status, balance_micro } = done.body;
        printResult(command, stdout, {
          json: done.body,
          text: () => `${id} is ${status}; wallet balance ${euros(balance_micro)}.`,
        });
      },
    );
  }
}

export function parseLimit(text: string): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > 200)
    throw new InvalidArgumentError("Expected a whole number from 1 to 200.");
  return limit;
}
