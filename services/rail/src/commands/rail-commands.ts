import { Command } from "commander";
import { addActionsCommand } from "./actions.ts";
import { addChargeCommands } from "./charge.ts";
import { addClockCommands } from "./clock.ts";
import { addKeyCommands, addTokenCommand } from "./keys.ts";
import { addReceiptCommands } from "./receipt.ts";
import { addStoreCommands } from "./store.ts";
import type { CliContext } from "./cli-context.ts";
import { addTopupCommands } from "./topup.ts";
import { addWalletCommands } from "./wallet.ts";

export function railCommands(context: CliContext): Command {
  const { stdout, stderr } = context;
  const rail = new Command("rail")
    .description("manage wallets, payments, receipts and the ledger")
    .exitOverride()
    .showHelpAfterError("(run with --help for usage)")
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      getOutHelpWidth: () => stdout.columns ?? 100,
      getErrHelpWidth: () => stderr.columns ?? 100,
    });
  addWalletCommands(rail, context);
  addTopupCommands(rail, context);
  addChargeCommands(rail, context);
  addKeyCommands(rail, context);
  addReceiptCommands(rail, context);
  addClockCommands(rail, context);
  addActionsCommand(rail, context);
  addStoreCommands(rail, context);
  addTokenCommand(rail, context);
  return rail;
}
