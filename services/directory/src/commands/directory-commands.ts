/** `triptych directory …`: all commands, in the order of the documentation. */
import { Command } from "commander";
import { addBooksCommands } from "./billing.ts";
import { addExportCommand } from "./export.ts";
import { addImportCommand } from "./import.ts";
import { addKeyCommands } from "./keys.ts";
import { addOutlinesCommand } from "./boundaries.ts";
import type { Surroundings } from "./cli-context.ts";
import { addVerifyCommand } from "./verify.ts";
import { addVersionCommands } from "./versions.ts";

export function directoryCommands(surroundings: Surroundings): Command {
  const { stdout, stderr } = surroundings;
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
  addKeyCommands(directory, surroundings);
  addImportCommand(directory, surroundings);
  addVersionCommands(directory, surroundings);
  addExportCommand(directory, surroundings);
  addVerifyCommand(directory, surroundings);
  addOutlinesCommand(directory, surroundings);
  addBooksCommands(directory, surroundings);
  return directory;
}
