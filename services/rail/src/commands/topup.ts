/** `topup …`: lists, settles and refunds top-ups. */
import {
  adminListTopups,
  adminRefundTopup,
  adminSettleTopup,
  TOPUP_STATES,
  type TopupState,
} from "@triptych/contracts";
import { renderTable, timeText } from "@triptych/server";
import { InvalidArgumentError, Option, type Command } from "commander";
import { euros } from "./refunds.ts";
import { withOperator } from "./operator-client.ts";
import { actOf, withReason, type OperatorOptions } from "./operator-options.ts";
import { say, widthOf, type CliContext } from "./cli-context.ts";

interface ListOptions {
  readonly status?: TopupState;
  readonly wallet?: string;
  readonly limit: number;
}

export function addTopupCommands(rail: Command, context: CliContext): void {
  const { stdout } = context;
  const topup = rail.command("topup").description("list, settle and refund top-ups");

  topup
    .command("list")
    .description("top-ups, newest first")
    .addOption(new Option("--status <status>", "only these").choices(TOPUP_STATES))
    .option("--wallet <id>", "only of this wallet")
    .option("--limit <number>", "how many, 1 to 200", parseLimit, 50)
    .action(async ({ status, wallet, limit }: ListOptions) => {
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
      say(stdout, rows.length === 0 ? "There is no such top-up." : renderTable({ heads, rows }, widthOf(stdout)));
    });

  for (const [name, endpoint, does] of [
    ["settle", adminSettleTopup, "the money of a pending or reviewed top-up has arrived"],
    ["refund", adminRefundTopup, "give the money of a top-up back, at the provider too"],
  ] as const) {
    withReason(topup.command(name).description(does).argument("<id>", "top_…")).action(
      async (id: string, options: OperatorOptions, command: Command) => {
        const body = actOf(options, context, command);
        const done = await withOperator(context, (client) => client.call(endpoint, { params: { id }, body }));
        say(stdout, `${id} is ${done.body.status}; the wallet holds ${euros(done.body.balance_micro)}.`);
      },
    );
  }
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > 200)
    throw new InvalidArgumentError("Write a whole number from 1 to 200.");
  return limit;
}
