/** For backups and migration: all fields, and the source row of each item. */
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { addJsonOption } from "@triptych/terminal";
import { Option, type Command } from "commander";
import type { StoredItem } from "../domain/catalogue.ts";
import { isReplaceable, requireWritable, say, withStore, type CliContext } from "./cli-context.ts";

export function addExportCommand(directory: Command, context: CliContext): void {
  addJsonOption(directory.command("export"))
    .description("export all items of the published version, with all fields")
    .argument("<file>", "output file; replaced only when the export is complete")
    .addOption(new Option("--format <format>", "one JSON object per line").choices(["ndjson"]).default("ndjson"))
    .action(async (path: string, _options, command: Command) => {
      await requireWritable(path, command);
      await withStore(context, async ({ directory: store }) => {
        const published = await store.versions.published();
        if (published === null) throw new Error("Nothing to export: no version is published yet.");
        const write = (await isReplaceable(path)) ? writeBeside : writeLines;
        const count = await write(path, store.versions.items(published.number));
        const { id: version } = published;
        if (command.opts()["json"] === true && path !== "/dev/stdout")
          say(context.stdout, JSON.stringify({ version, items: count, file: path }, null, 2));
        say(context.stderr, `Exported ${count} items of version ${version} to ${path}.`);
      });
    });
}

async function writeBeside(path: string, items: AsyncIterable<StoredItem>): Promise<number> {
  const passing = `${path}.part`;
  try {
    const count = await writeLines(passing, items);
    await rename(passing, path);
    return count;
  } catch (error) {
    await rm(passing, { force: true });
    throw error;
  }
}

async function writeLines(path: string, items: AsyncIterable<StoredItem>): Promise<number> {
  const file = createWriteStream(path, { mode: 0o600 });
  let count = 0;
  try {
    await once(file, "open");
    for await (const { sourceName, sourceId, item } of items) {
      const line = `${JSON.stringify({ ...item, source_name: sourceName, source_id: sourceId })}\n`;
      if (!file.write(line)) await once(file, "drain");
      count++;
    }
    file.end();
    await once(file, "close");
    return count;
  } catch (error) {
    file.destroy();
    throw error;
  }
}
