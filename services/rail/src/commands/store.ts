import { resolve } from "node:path";
import { readConfig } from "@triptych/config";
import type { StoreLocation } from "@triptych/storage";
import { addJsonOption, addYesOption, confirmOrRefuse, printResult, widthOf } from "@triptych/terminal";
import type { Command } from "commander";
import { RailConfig } from "../config.ts";
import { backupStore, restoreStore, totalsOf } from "../store/backup.ts";
import { keysOf } from "@triptych/client/receipt.js";
import { audit, auditJson, describeAudit, faultOf } from "./audit.ts";
import { withOperator } from "./operator-client.ts";
import { readKeys } from "./receipt.ts";
import { usageError, say, type CliContext } from "./cli-context.ts";

export function addStoreCommands(rail: Command, context: CliContext): void {
  const { stdout, stderr } = context;
  addJsonOption(rail.command("audit"))
    .description(
      "verify the whole ledger: invariants L1 to L5 and L8, and the signature of every receipt; exit 1 on a violation",
    )
    .option("--anchor <file>", "signed copy of all chain heads: written if missing, else compared")
    .option("--write", "replace the anchor after a successful comparison")
    .option("--jwks <url or file...>", "keys to verify the anchor with (default: the keys of this rail)")
    .addHelpText("after", ANCHOR)
    .action(async ({ anchor, ...words }: AuditWords, command: Command) => {
      if (anchor === undefined && (words.write === true || words.jwks !== undefined))
        usageError(command, "--write and --jwks require --anchor");
      const keys = words.jwks && keysOf(await readKeys(words.jwks, { command, fetch: context.fetch }));
      const options = { anchor: anchor === undefined ? null : { file: anchor, write: words.write === true, keys } };
      const found = await withOperator(context, (client) => audit(client, options));
      const text = () => describeAudit(found, widthOf(stdout));
      printResult(command, stdout, { json: auditJson(found), text });
      const fault = faultOf(found);
      if (fault !== null) throw new Error(fault);
    });

  addJsonOption(rail.command("backup"))
    .description("write a consistent copy of the ledger to a new file; works while the rail runs")
    .argument("<file>", "new file (SQLite database)")
    .addHelpText("after", KEYS)
    .action(async (file: string, _options, command: Command) => {
      await backupStore(locationOf(context), file);
      printFile(command, context, { file });
      say(stderr, `Copied the ledger to ${file}.`);
    });

  addJsonOption(rail.command("export"))
    .description("export the ledger to a new file for `import`, and check that the totals match")
    .argument("<file>", "new file (SQLite database)")
    .addHelpText("after", KEYS)
    .action(async (file: string, _options, command: Command) => {
      const location = locationOf(context);
      await backupStore(location, file);
      const totals = await totalsOf({ file });
      proveEqual(await totalsOf(location), totals);
      printFile(command, context, { file, accounts: totals.size });
      say(stderr, `Exported the ledger to ${file}; the totals of all accounts are equal.`);
    });

  addYesOption(addJsonOption(rail.command("import")))
    .description("import an exported ledger into an empty store; stop the rail first")
    .argument("<file>", "file written by `export` or `backup`")
    .addHelpText("after", KEYS)
    .action(async (file: string, _options, command: Command) => {
      const location = locationOf(context);
      await confirmOrRefuse(command, `Import ${file} as the ledger of this rail?`);
      await restoreStore(file, location);
      const totals = await totalsOf(location);
      proveEqual(await totalsOf({ file }), totals);
      printFile(command, context, { file, accounts: totals.size });
      say(
        stderr,
        `Imported ${file}; the totals of all accounts are equal. Run \`triptych rail audit\` to check the rest.`,
      );
    });
}

const ANCHOR = `
An anchor later proves that no entry was removed, rolled back or modified. It takes about 80 bytes per wallet.`;

const KEYS = `
Signing keys and email addresses in the file are encrypted with TRIPTYCH_SECRET (or the file secret-key in the data folder). Back up the secret too, in another location.`;

interface AuditWords {
  readonly anchor?: string;
  readonly write?: boolean;
  readonly jwks?: readonly string[];
}

/** Without `--json`, the sentence on stderr is enough. */
function printFile(command: Command, { stdout }: CliContext, json: Readonly<Record<string, string | number>>): void {
  if (command.opts()["json"] === true) say(stdout, JSON.stringify(json, null, 2));
}

function locationOf({ environment }: CliContext): StoreLocation {
  const config = readConfig(RailConfig, environment);
  return { dataFolder: resolve(config.TRIPTYCH_DATA), databaseUrl: config.DATABASE_URL };
}

function proveEqual(first: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): void {
  const differing = [...new Set([...first.keys(), ...other.keys()])].filter((id) => first.get(id) !== other.get(id));
  if (differing.length > 0)
    throw new Error(
      `The totals of ${differing.length} accounts differ, for example ${differing[0]}. The ledger may have changed during the copy. Stop the rail and try again.`,
    );
}
