import { Command } from "commander";
import { addBillingCommands } from "./billing.ts";
import { addExportCommand } from "./export.ts";
import { addImportCommand } from "./import.ts";
import { addKeyCommands } from "./keys.ts";
import { addOutlinesCommand } from "./boundaries.ts";
import type { CliContext } from "./cli-context.ts";
import { addRemoveCommand } from "./remove.ts";
import { addSynonymCommands } from "./synonyms.ts";
import { addVerifyCommand } from "./verify.ts";
import { addVersionCommands } from "./versions.ts";

export function directoryCommands(context: CliContext): Command {
  const { stdout, stderr } = context;
  const directory = new Command("directory")
    .description("manage the directory's keys, data and billing")
    .exitOverride()
    .showHelpAfterError("(run with --help for usage)")
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      getOutHelpWidth: () => stdout.columns ?? 100,
      getErrHelpWidth: () => stderr.columns ?? 100,
    });
  addKeyCommands(directory, context);
  addImportCommand(directory, context);
  addRemoveCommand(directory, context);
  addVersionCommands(directory, context);
  addExportCommand(directory, context);
  addVerifyCommand(directory, context);
  addOutlinesCommand(directory, context);
  addSynonymCommands(directory, context);
  addBillingCommands(directory, context);
  return directory;
}
