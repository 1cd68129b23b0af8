/** Exports all fields and the source ID of each item, for backups and migration. */
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { addJsonOption } from "@triptych/terminal";
import { Option, type Command } from "commander";
import type { StoredItem } from "../domain/catalogue.ts";
import { exportText, type ExportFormat, type ExportText } from "./export-text.ts";
import { isReplaceable, requireWritable, say, withStore, type CliContext } from "./cli-context.ts";

export function addExportCommand(directory: Command, context: CliContext): void {
  addJsonOption(directory.command("export"))
    .description("export all items of the published version, with all fields")
    .argument("<file>", "output file; replaced only when the export is complete")
    .addOption(
      new Option(
        "--format <format>",
        "ndjson, json: with source and source ID; csv, geojson: with the fields of the API",
      )
        .choices(["ndjson", "json", "csv", "geojson"])
        .default("ndjson"),
    )
    .action(async (path: string, { format }: { format: ExportFormat }, command: Command) => {
      await requireWritable(path, command);
      await withStore(context, async ({ directory: store, config }) => {
        const published = await store.versions.published();
        if (published === null) throw new Error("Nothing to export: no version is published yet.");
        const write = (await isReplaceable(path)) ? writeTemporaryFile : writeItems;
        const text = exportText(format, config.DIRECTORY_URL ?? "");
        const count = await write(path, store.versions.items(published.number), text);
        const { id: version } = published;
        if (command.opts()["json"] === true && path !== "/dev/stdout")
          say(context.stdout, JSON.stringify({ version, items: count, file: path }, null, 2));
        say(context.stderr, `Exported ${count} items of version ${version} to ${path}.`);
      });
    });
}

async function writeTemporaryFile(path: string, items: AsyncIterable<StoredItem>, text: ExportText): Promise<number> {
  const temporary = `${path}.part`;
  try {
    const count = await writeItems(temporary, items, text);
    await rename(temporary, path);
    return count;
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function writeItems(path: string, items: AsyncIterable<StoredItem>, text: ExportText): Promise<number> {
  const file = createWriteStream(path, { mode: 0o600 });
  let count = 0;
  try {
    await once(file, "open");
    file.write(text.head);
    for await (const stored of items) {
      const row = text.row(stored);
      if (!file.write(count === 0 ? row : text.separator + row)) await once(file, "drain");
      count++;
    }
    file.end(text.tail);
    await once(file, "close");
    return count;
  } catch (error) {
    file.destroy();
    throw error;
  }
}
