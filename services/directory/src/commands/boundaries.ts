/** Installs département boundaries, for the map and for imports, which locate points without a département. */
import { readFile, stat } from "node:fs/promises";
import { addJsonOption } from "@triptych/terminal";
import type { Command } from "commander";
import { loadOutlines } from "../domain/import/boundaries.ts";
import { installOutlines, BOUNDARY_BYTES_MAX } from "../store/open-store.ts";
import { usageError, say, withStore, type CliContext } from "./cli-context.ts";

export function addOutlinesCommand(directory: Command, context: CliContext): void {
  addJsonOption(directory.command("outlines"))
    .description("install the outlines of the départements (GeoJSON polygons with the property `code` or `nom`)")
    .argument("<file>", "a FeatureCollection; replaces the installed outlines")
    .action(async (path: string, _options, command: Command) => {
      const text = await readOutlineFile(path, command);
      const outlines = loadOutlines(parse(text, path, command));
      if ("issues" in outlines)
        return usageError(
          command,
          `${path} contains no outlines:\n${outlines.issues.map((issue) => `  ${issue}`).join("\n")}`,
        );
      await withStore(context, ({ database }) => installOutlines(database.db, text, context.now()));
      if (command.opts()["json"] === true) say(context.stdout, JSON.stringify({ codes: outlines.codes }, null, 2));
      say(
        context.stderr,
        `Installed the outlines of ${outlines.codes.length} départements. Imports use them immediately, a running service after a restart.`,
      );
    });
}

async function readOutlineFile(path: string, command: Command): Promise<string> {
  const found = await stat(path).catch(() => null);
  if (found === null || !found.isFile()) return usageError(command, `no such file: ${path}`);
  if (found.size > BOUNDARY_BYTES_MAX)
    return usageError(command, `${path} is larger than 32 MiB; use simplified outlines`);
  return readFile(path, "utf8");
}

function parse(text: string, path: string, command: Command): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return usageError(command, `${path} is not valid JSON`);
  }
}
