/** `acts`: what operators did, and why. */
import { adminListActs, OPERATOR_ACTS, type OperatorActName } from "@triptych/contracts";
import { addJsonOption, printResult, renderTable, timeText, widthOf } from "@triptych/terminal";
import { Option, type Command } from "commander";
import type { CliContext } from "./cli-context.ts";
import { withOperator } from "./operator-client.ts";
import { euros } from "./refunds.ts";
import { parseLimit } from "./topup.ts";

interface ActsOptions {
  readonly act?: OperatorActName;
  readonly wallet?: string;
  readonly operator?: string;
  readonly limit: number;
}

export function addActsCommand(rail: Command, context: CliContext): void {
  const { stdout } = context;
  addJsonOption(rail.command("acts"))
    .description("list what operators did and why, newest first")
    .addOption(new Option("--act <act>", "only this act").choices(OPERATOR_ACTS))
    .option("--wallet <id>", "only acts on this wallet")
    .option("--operator <name>", "only acts of this operator")
    .option("--limit <number>", "maximum number, 1 to 200", parseLimit, 50)
    .action(async ({ act, wallet, operator, limit }: ActsOptions, command: Command) => {
      const query = {
        limit,
        ...(act !== undefined && { act: [act] }),
        ...(wallet !== undefined && { wallet_id: wallet }),
        ...(operator !== undefined && { operator }),
      };
      const { body } = await withOperator(context, (client) => client.call(adminListActs, { query }));
      const heads = ["time", "operator", "act", "on", "amount", "reason"];
      const rows = body.items.map((item) => [
        timeText(Date.parse(item.at)),
        item.operator,
        item.act,
        item.subject ?? item.wallet_id ?? "-",
        item.amount_micro === null ? "-" : euros(item.amount_micro),
        item.reason,
      ]);
      printResult(command, stdout, {
        json: body.items,
        text: () => (rows.length === 0 ? "No acts." : renderTable({ heads, rows }, widthOf(stdout))),
      });
    });
}
