/** The words of `import`, read: files that exist, a mapping and a source that are right. Everything wrong ends with 2. */
import { readFile, stat } from "node:fs/promises";
import { ITEM_TYPES, type ItemType } from "@triptych/contracts";
import { InvalidArgumentError, Option, type Command } from "commander";
import {
  DEFAULT_REJECT_LIMIT,
  FILE_FORMATS,
  parseMapping,
  parseRejectLimit,
  readSource,
  renderFaults,
  type FileFormat,
  type ImportSource,
  type Mapping,
  type RejectLimit,
} from "../domain/import/index.ts";
import { refuseUse, requireWritable } from "./surroundings.ts";

export interface ImportWords {
  readonly type: ItemType;
  readonly format?: FileFormat;
  readonly separator?: string;
  readonly map?: string;
  readonly source?: string;
  readonly mode: "merge" | "replace";
  readonly dryRun?: boolean;
  readonly report?: string;
  readonly maxRejects: RejectLimit;
  readonly dropBadLocation?: boolean;
}

export interface ImportPlan extends Pick<ImportWords, "type" | "format" | "mode" | "report" | "maxRejects"> {
  readonly files: readonly { readonly path: string; readonly size: number }[];
  readonly separator: string | undefined;
  readonly mapping: Mapping | undefined;
  readonly source: ImportSource | undefined;
  readonly dryRun: boolean;
  readonly dropBadLocation: boolean;
}

export function declareImport(directory: Command): Command {
  return directory
    .command("import")
    .description("read files, check every row, and publish them as the next version in one step")
    .argument("<files...>", "CSV, TSV, GeoJSON, NDJSON or a JSON list, gzip too; encoding and separator are recognised")
    .addOption(
      new Option("--type <type>", "what the rows are; a mapping may say otherwise for single rows")
        .choices([...ITEM_TYPES])
        .makeOptionMandatory(),
    )
    .addOption(new Option("--format <format>", "instead of recognising it").choices([...FILE_FORMATS]))
    .addOption(
      new Option(
        "--separator <sign>",
        "between the cells of CSV, instead of recognising it; `tab` for a tab",
      ).argParser(parseSeparator),
    )
    .option("--map <file>", "mapping of columns to fields; without one it is guessed and printed")
    .option(
      "--source <json>",
      '{"name","url","licence","retrieved_at"}, or a file that holds it: where the rows come from',
    )
    .addOption(
      new Option("--mode <mode>", "merge adds to the data and updates known rows; replace replaces everything")
        .choices(["merge", "replace"])
        .default("merge"),
    )
    .option("--dry-run", "publish nothing; show the mapping, 5 mapped rows and the report")
    .option("--report <file>", "write the report as JSON")
    .addOption(
      new Option("--max-rejects <limit>", "refuse when more rows than N or P% are rejected")
        .default(DEFAULT_REJECT_LIMIT, "5%")
        .argParser(parseLimit),
    )
    .option("--drop-bad-location", "keep rows whose coordinates are wrong, without coordinates")
    .addHelpText("after", EXIT_HELP);
}

const EXIT_HELP = `
Exit status: 0 published, nothing new, or a dry run that would publish; 1 refused (also in a dry run), nothing was changed; 2 wrong use.
Mapping files for real open data, and how to write one: docs/mappings/README.md.`;

export async function readImportPlan(
  paths: readonly string[],
  words: ImportWords,
  command: Command,
): Promise<ImportPlan> {
  const files = await Promise.all(paths.map((path) => findFile(path, command)));
  const { type, format, separator, mode, report, maxRejects } = words;
  // Before anything is read: once the rows are published, a report that cannot be written would look like a refusal.
  if (report !== undefined) {
    await requireWritable(report, command);
    await requireApart(report, [...paths, words.map, words.source], command);
  }
  return {
    type,
    format,
    separator,
    mode,
    report,
    maxRejects,
    files,
    mapping: words.map === undefined ? undefined : await readMappingFile(words.map, command),
    source: words.source === undefined ? undefined : await readSourceWords(words.source, command),
    dryRun: words.dryRun ?? false,
    dropBadLocation: words.dropBadLocation ?? false,
  };
}

/** What is read must not be what is written: it would be gone before the first row. */
async function requireApart(report: string, read: readonly (string | undefined)[], command: Command): Promise<void> {
  const identity = async (path: string | undefined) => {
    const found = path === undefined ? null : await stat(path).catch(() => null);
    return found?.isFile() ? `${found.dev} ${found.ino}` : null;
  };
  const target = await identity(report);
  if (target === null) return;
  for (const path of read)
    if ((await identity(path)) === target)
      refuseUse(command, `--report would replace ${path}, which is read; name another file`);
}

function parseSeparator(text: string): string {
  if (text === "tab") return "\t";
  if (text.length !== 1 || /["\r\n]/.test(text)) throw new InvalidArgumentError("Write one character, or `tab`.");
  return text;
}

function parseLimit(text: string): RejectLimit {
  const limit = parseRejectLimit(text);
  if (limit === null) throw new InvalidArgumentError("Write a number of rows like 20, or a share like 5%.");
  return limit;
}

async function findFile(path: string, command: Command): Promise<{ path: string; size: number }> {
  const found = await stat(path).catch(() => null);
  if (found === null) return refuseUse(command, `there is no file ${path}`);
  if (found.isDirectory()) return refuseUse(command, `${path} is a folder; name the files in it`);
  return { path, size: found.size };
}

async function readMappingFile(path: string, command: Command): Promise<Mapping> {
  const read = parseMapping(await readText(path, command));
  return "mapping" in read
    ? read.mapping
    : refuseUse(command, `the mapping ${path} is not right:\n${renderFaults(read.faults)}`);
}

async function readSourceWords(words: string, command: Command): Promise<ImportSource> {
  const text = words.trimStart().startsWith("{") ? words : await readText(words, command);
  const read = readSource(parseJson(text, command));
  return "source" in read ? read.source : refuseUse(command, `--source is not right:\n${renderFaults(read.faults)}`);
}

function parseJson(text: string, command: Command): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return refuseUse(command, '--source is not JSON; write it like {"name":"Museofile","licence":"etalab-2.0"}');
  }
}

async function readText(path: string, command: Command): Promise<string> {
  return readFile(path, "utf8").catch(() => refuseUse(command, `the file ${path} cannot be read`));
}
