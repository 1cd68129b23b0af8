/**
 * Writes `openapi/<service>.json` from the contracts. With `--check`, reports committed documents that differ; `npm run
 * check` and the tests do this.
 */
import { readFile, writeFile } from "node:fs/promises";
import { loadServices } from "./services.ts";

const FOLDER = new URL("../../../openapi/", import.meta.url);

/** Names of the services whose committed document differs from its contract. */
export async function driftedDocuments(): Promise<string[]> {
  const drifted: string[] = [];
  for (const { name, openApi } of await loadServices()) {
    const committed = await readFile(new URL(`${name}.json`, FOLDER), "utf8").catch(() => "");
    if (committed !== openApi()) drifted.push(name);
  }
  return drifted;
}

if (process.argv[1] === import.meta.filename) {
  if (process.argv.includes("--check")) {
    const drifted = await driftedDocuments();
    if (drifted.length > 0)
      process.stderr.write(`openapi/ differs from the contracts of ${drifted.join(", ")}: run \`npm run openapi\`.\n`);
    process.exitCode = drifted.length > 0 ? 1 : 0;
  } else {
    for (const { name, openApi } of await loadServices()) await writeFile(new URL(`${name}.json`, FOLDER), openApi());
  }
}
