/** `triptych store copy`: moves every service's store between a data folder and PostgreSQL. */
import { Command } from "commander";
import { loadServices } from "./services.ts";

export function storeCommands(): Command {
  const store = new Command("store").description("where the services keep their data").exitOverride();
  store
    .command("copy")
    .description("copy everything from one store to an empty other one; stop the services first")
    .requiredOption("--from <place>", "a data folder (such as .triptych), or postgres://…")
    .requiredOption("--to <place>", "a data folder, or postgres://…, holding nothing yet")
    .action((locations: CopyLocations, copy: Command) => {
      // Otherwise such an address would become a folder with a password in its name. Commander's own error would repeat it.
      for (const [option, location] of Object.entries(locations))
        if (/^[\w+.-]+:\/\//.test(location) && !/^postgres(ql)?:\/\//.test(location))
          copy.error(`error: --${option} takes a data folder or an address that begins with postgres://`, {
            exitCode: 2,
          });
      return copyAll(locations);
    });
  return store;
}

interface CopyLocations {
  readonly from: string;
  readonly to: string;
}

async function copyAll({ from, to }: CopyLocations): Promise<void> {
  let tableCount = 0;
  for (const service of await loadServices()) {
    const tables = await service.copyStore({ from, to, onProgress: showProgress(service.name) });
    process.stderr.write(process.stderr.isTTY ? "\r\u001b[K" : "");
    for (const { table, rows } of tables) process.stdout.write(`${service.name}.${table}: ${rows} rows\n`);
    tableCount += tables.length;
  }
  if (tableCount === 0) throw new Error(`No service has a store in ${from}. Nothing was copied.`);
}

/** One updating line on a terminal; elsewhere only the result. */
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
