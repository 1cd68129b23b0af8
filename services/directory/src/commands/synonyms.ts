/** The operator's list of equivalent search terms. */
import { readFile, stat } from "node:fs/promises";
import { addJsonOption, addYesOption, confirmOrRefuse, printResult } from "@triptych/terminal";
import { csvCell } from "@triptych/util";
import type { Command } from "commander";
import { readSynonyms } from "../domain/search/read-synonyms.ts";
import { starterSynonyms } from "../store/starter-synonyms.ts";
import { deleteSynonyms, findStoredSynonyms, storeSynonyms } from "../store/synonyms.ts";
import { say, usageError, withStore, type CliContext } from "./cli-context.ts";

const FILE_BYTES_MAX = 4 << 20;
const EFFECTIVE = "Running services use it within 2 seconds.";

export function addSynonymCommands(directory: Command, context: CliContext): void {
  const { stdout, stderr } = context;
  const synonyms = directory
    .command("synonyms")
    .description("manage the equivalent search terms; without an imported list, the built-in French list applies");

  addJsonOption(synonyms.command("import"))
    .description("replace the list with a CSV file that has one group of equivalent terms per line")
    .argument("<file>", "UTF-8, terms separated by commas or semicolons; lines that start with # are comments")
    .action(async (path: string, _options, command: Command) => {
      const csv = await readList(path, command);
      const { groups, issues } = readSynonyms(csv);
      if (issues.length > 0)
        return usageError(command, `${path} was not imported:\n${issues.map((issue) => `  ${issue}`).join("\n")}`);
      await withStore(context, ({ database }) => storeSynonyms(database.db, csv, context.now()));
      say(stderr, `Imported ${groups.length} groups. ${EFFECTIVE}`);
      printResult(command, stdout, { json: { groups: groups.length }, text: () => "" });
    });

  addJsonOption(synonyms.command("list"))
    .description("print the list in use as CSV, to edit and import")
    .action((_options, command: Command) =>
      withStore(context, async ({ database }) => {
        const stored = await findStoredSynonyms(database.db);
        const groups = stored === null ? starterSynonyms().groups : readSynonyms(stored.csv).groups;
        const source = stored === null ? "program" : "import";
        printResult(command, stdout, {
          json: { source, groups },
          text: () => groups.map((group) => group.map(csvCell).join(",")).join("\n"),
        });
      }),
    );

  addYesOption(addJsonOption(synonyms.command("reset")))
    .description("remove the imported list; the built-in list applies again")
    .action((_options, command: Command) =>
      withStore(context, async ({ database }) => {
        await confirmOrRefuse(command, "Remove the imported synonyms?");
        await deleteSynonyms(database.db);
        say(stderr, `The built-in list applies again. ${EFFECTIVE}`);
        printResult(command, stdout, { json: { groups: starterSynonyms().groups.length }, text: () => "" });
      }),
    );
}

async function readList(path: string, command: Command): Promise<string> {
  const found = await stat(path).catch(() => null);
  if (found === null || !found.isFile()) return usageError(command, `no such file: ${path}`);
  if (found.size > FILE_BYTES_MAX) return usageError(command, `${path} is larger than 4 MiB`);
  const bytes = await readFile(path);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return usageError(command, `${path} is not UTF-8; save it as UTF-8`);
  }
}
