/** `audit`, `backup`, `export`, `import`: the ledger as a whole. */
import { resolve } from "node:path";
import { adminAudit } from "@triptych/contracts";
import { readConfig, renderTable } from "@triptych/server";
import type { Command } from "commander";
import { RailConfig } from "../config.ts";
import { backupStore, restoreStore, totalsOf } from "../store/backup.ts";
import type { StorePlace } from "../store/open-store.ts";
import { withOperator } from "./operator-client.ts";
import { say, widthOf, type Surroundings } from "./surroundings.ts";

export function addStoreCommands(rail: Command, surroundings: Surroundings): void {
  const { stdout, stderr } = surroundings;
  rail
    .command("audit")
    .description(
      "check the whole ledger: L1 to L5, L8 and every receipt's signature; ends with 1 when anything is wrong",
    )
    .action(async () => {
      const { body } = await withOperator(surroundings, (client) => client.call(adminAudit, {}));
      say(stdout, `${body.transfers} transfers, ${body.entries} entries, ${body.receipts} receipts were checked.`);
      if (body.ok) return say(stdout, "Everything agrees.");
      const rows = body.violations.map(({ invariant, subject, message }) => [invariant, subject, message]);
      say(stdout, renderTable({ heads: ["law", "of", "what is wrong"], rows }, widthOf(stdout)));
      throw new Error(`The ledger breaks its laws in ${body.violations.length} places.`);
    });

  rail
    .command("backup")
    .description("write a consistent copy of the ledger to a new file, beside a running rail too")
    .argument("<file>", "a new file; an SQLite database")
    .addHelpText("after", KEYS)
    .action(async (file: string) => {
      await backupStore(placeOf(surroundings), file);
      say(stderr, `The ledger was copied to ${file}.`);
    });

  rail
    .command("export")
    .description("write the ledger to a new file, to be read in elsewhere, and prove that the totals are equal")
    .argument("<file>", "a new file; an SQLite database")
    .addHelpText("after", KEYS)
    .action(async (file: string) => {
      const place = placeOf(surroundings);
      await backupStore(place, file);
      proveEqual(await totalsOf(place), await totalsOf({ file }));
      say(stderr, `The ledger was written to ${file}; the totals of all accounts are equal.`);
    });

  rail
    .command("import")
    .description("read an exported ledger into a store that holds nothing yet; stop the rail first")
    .argument("<file>", "a file of `export` or `backup`")
    .addHelpText("after", KEYS)
    .action(async (file: string) => {
      const place = placeOf(surroundings);
      await restoreStore(file, place);
      proveEqual(await totalsOf({ file }), await totalsOf(place));
      say(
        stderr,
        `${file} was read in; the totals of all accounts are equal. \`triptych rail audit\` checks the rest.`,
      );
    });
}

const KEYS = `
Signing keys and e-mail addresses in it are sealed under TRIPTYCH_SECRET (or the file secret-key in the data folder): keep that too, elsewhere.`;

function placeOf({ environment }: Surroundings): StorePlace {
  const config = readConfig(RailConfig, environment);
  return { dataFolder: resolve(config.TRIPTYCH_DATA), databaseUrl: config.DATABASE_URL };
}

function proveEqual(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): void {
  const differing = [...new Set([...one.keys(), ...other.keys()])].filter((id) => one.get(id) !== other.get(id));
  if (differing.length > 0)
    throw new Error(
      `The totals of ${differing.length} accounts differ, ${differing[0]} among them. Was the ledger written to meanwhile? Stop the rail and do it again.`,
    );
}
