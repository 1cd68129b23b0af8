/** `actions`: the operator log. */
import { adminListActions, OPERATOR_ACTIONS, type OperatorActionName } from "@triptych/contracts";
import { addJsonOption, printResult, renderTable, timeText, widthOf } from "@triptych/terminal";
import { Option, type Command } from "commander";
import type { CliContext } from "./cli-context.ts";
import { withOperator } from "./operator-client.ts";
import { euros } from "./refunds.ts";
import { parseLimit } from "./topup.ts";

interface ActionsOptions {
  readonly action?: OperatorActionName;
  readonly wallet?: string;
  readonly operator?: string;
  readonly limit: number;
}

export function addActionsCommand(rail: Command, context: CliContext): void {
  const { stdout } = context;
  addJsonOption(rail.command("actions"))
    .description("list what operators did and why, newest first")
    .addOption(new Option("--action <action>", "only this action").choices(OPERATOR_ACTIONS))
    .option("--wallet <id>", "only actions on this wallet")
    .option("--operator <name>", "only actions of this operator")
    .option("--limit <number>", "maximum number of actions, 1 to 200", parseLimit, 50)
    .action(async ({ action, wallet, operator, limit }: ActionsOptions, command: Command) => {
      const query = {
        limit,
        ...(action !== undefined && { action: [action] }),
        ...(wallet !== undefined && { wallet_id: wallet }),
        ...(operator !== undefined && { operator }),
      };
      const { body } = await withOperator(context, (client) => client.call(adminListActions, { query }));
      const heads = ["time", "operator", "action", "on", "amount", "reason"];
      const rows = body.items.map((item) => [
        timeText(Date.parse(item.at)),
        item.operator,
        item.action,
        item.subject ?? item.wallet_id ?? "-",
        item.amount_micro === null ? "-" : euros(item.amount_micro),
        item.reason,
      ]);
      printResult(command, stdout, {
        json: body.items,
        text: () => (rows.length === 0 ? "No actions." : renderTable({ heads, rows }, widthOf(stdout))),
      });
    });
}
