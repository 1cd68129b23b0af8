/** `triptych store copy`: moves every service's store between a data folder and PostgreSQL. */
import { addJsonOption } from "@triptych/terminal";
import { Command } from "commander";
import { loadServices } from "./services.ts";

export function storeCommands(): Command {
  const store = new Command("store").description("where the services keep their data").exitOverride();
  addJsonOption(store.command("copy"))
    .description("copy all data to another, empty store; stop the services first")
    .requiredOption("--from <place>", "a data folder (such as .triptych), or postgres://…")
    .requiredOption("--to <place>", "an empty data folder, or postgres://… of an empty database")
    .action(({ from, to }: CopyLocations, copy: Command) => {
      const locations = { from, to };
      // Otherwise such an address would become the name of a folder, with the password in it. Commander's own error
      // would print it.
      for (const [option, location] of Object.entries(locations))
        if (/^[\w+.-]+:\/\//.test(location) && !/^postgres(ql)?:\/\//.test(location))
          copy.error(`error: --${option} takes a data folder or an address that begins with postgres://`, {
            exitCode: 2,
          });
      return copyAll(locations, copy.opts()["json"] === true);
    });
  return store;
}

interface CopyLocations {
  readonly from: string;
  readonly to: string;
}

async function copyAll({ from, to }: CopyLocations, isJson: boolean): Promise<void> {
  const copied: { readonly service: string; readonly table: string; readonly rows: number }[] = [];
  for (const service of await loadServices()) {
    const tables = await service.copyStore({ from, to, onProgress: showProgress(service.name) });
    process.stderr.write(process.stderr.isTTY ? "\r\u001b[K" : "");
    for (const { table, rows } of tables) {
      copied.push({ service: service.name, table, rows });
      if (!isJson) process.stdout.write(`${service.name}.${table}: ${rows} rows\n`);
    }
  }
  if (copied.length === 0) throw new Error(`No service has a store in ${from}. Nothing was copied.`);
  if (isJson) process.stdout.write(`${JSON.stringify(copied, null, 2)}\n`);
}

/** On a terminal: one line that updates. Elsewhere: only the result. */
function showProgress(service: string) {
  return ({
    table,
    copied,
    total,
  }: {
    readonly table: string;
    readonly copied: number;
    readonly total: number;
  }): void => {
    if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${service}.${table}: ${copied} of ${total} rows`);
  };
}
