/** `outlines`: installs the borders of the départements, for imports (a point without a département) and for the map. */
import { readFile, stat } from "node:fs/promises";
import type { Command } from "commander";
import { loadOutlines } from "../domain/import/index.ts";
import { installOutlines, MOST_OUTLINE_BYTES } from "../store/outlines.ts";
import { refuseUse, say, withStore, type Surroundings } from "./surroundings.ts";

export function addOutlinesCommand(directory: Command, surroundings: Surroundings): void {
  directory
    .command("outlines")
    .description("install the outlines of the départements (GeoJSON polygons with the property `code` or `nom`)")
    .argument("<file>", "a FeatureCollection; it replaces what was installed before")
    .action(async (path: string, _options, command: Command) => {
      const text = await readOutlineFile(path, command);
      const outlines = loadOutlines(parse(text, path, command));
      if ("faults" in outlines)
        return refuseUse(
          command,
          `${path} holds no outlines:\n${outlines.faults.map((fault) => `  ${fault}`).join("\n")}`,
        );
      await withStore(surroundings, ({ database }) => installOutlines(database.db, text, surroundings.now()));
      say(
        surroundings.stderr,
        `Outlines of ${outlines.codes.length} départements are installed: imports use them from now on, a running service from its next start.`,
      );
    });
}

async function readOutlineFile(path: string, command: Command): Promise<string> {
  const found = await stat(path).catch(() => null);
  if (found === null || !found.isFile()) return refuseUse(command, `there is no file ${path}`);
  if (found.size > MOST_OUTLINE_BYTES)
    return refuseUse(command, `${path} is larger than 32 MiB: take simplified outlines`);
  return readFile(path, "utf8");
}

function parse(text: string, path: string, command: Command): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return refuseUse(command, `${path} is not JSON`);
  }
}
