/** Every error here is a usage error (exit code 2). */
import { readFile, stat } from "node:fs/promises";
import { ITEM_TYPES, type ItemType } from "@triptych/contracts";
import { addJsonOption, addYesOption } from "@triptych/terminal";
import { InvalidArgumentError, Option, type Command } from "commander";
import { FILE_FORMATS, type FileFormat } from "../domain/import/detect.ts";
import { parseMapping, readSource, type ImportSource, type Mapping } from "../domain/import/mapping.ts";
import { DEFAULT_REJECT_LIMIT, parseRejectLimit, type RejectLimit } from "../domain/import/report.ts";
import { renderIssues } from "./render-report.ts";
import { usageError, requireWritable } from "./cli-context.ts";

export interface ImportCommandOptions {
  readonly type: ItemType;
  readonly format?: FileFormat;
  readonly separator?: string;
  readonly path?: string;
  readonly map?: string;
  readonly writeMapping?: string;
  readonly source?: string;
  readonly mode: "merge" | "replace";
  readonly dryRun?: boolean;
  readonly report?: string;
  readonly maxRejects: RejectLimit;
  readonly dropBadLocation?: boolean;
  readonly json?: boolean;
}

export interface ImportPlan extends Pick<ImportCommandOptions, "type" | "format" | "mode" | "report" | "maxRejects"> {
  readonly files: readonly { readonly path: string; readonly size: number }[];
  readonly separator: string | undefined;
  readonly path: string | undefined;
  /** File for the guessed mapping, which is written for a rejected file too. */
  readonly writeMapping: string | undefined;
  readonly mapping: Mapping | undefined;
  readonly source: ImportSource | undefined;
  readonly dryRun: boolean;
  readonly dropBadLocation: boolean;
  /** Prints the report as JSON. */
  readonly json: boolean;
}

export function declareImport(directory: Command): Command {
  return addYesOption(addJsonOption(directory.command("import")))
    .description("validate the rows of files and publish them as the next version, atomically")
    .argument(
      "<files...>",
      "CSV, TSV, XLSX, GeoJSON, NDJSON or JSON, also in gzip or ZIP; encoding and separator are detected",
    )
    .addOption(
      new Option("--type <type>", "type of the rows; a mapping can override it per row")
        .choices([...ITEM_TYPES])
        .makeOptionMandatory(),
    )
    .addOption(new Option("--format <format>", "file format, instead of detecting it").choices([...FILE_FORMATS]))
    .addOption(
      new Option("--separator <char>", "CSV separator, instead of detecting it; `tab` for a tab").argParser(
        parseSeparator,
      ),
    )
    .addOption(
      new Option(
        "--path <keys>",
        "keys that lead to the rows of a JSON file, and to the object in each row: records.fields",
      ).argParser(parsePath),
    )
    .option("--map <file>", "file that maps columns to fields; if omitted, a mapping is guessed and printed")
    .option("--write-mapping <file>", "write the guessed mapping, or as much as was recognized, to edit it")
    .option("--source <json>", 'source of the rows: {"name","url","licence","retrieved_at"}, inline or as a file')
    .addOption(
      new Option("--mode <mode>", "merge: add rows and update existing ones; replace: replace all data")
        .choices(["merge", "replace"])
        .default("merge"),
    )
    .option("--dry-run", "show the mapping, 5 mapped rows and the report without publishing")
    .option("--report <file>", "write the report as JSON")
    .addOption(
      new Option("--max-rejects <limit>", "fail when more than N or P% of the rows are rejected")
        .default(DEFAULT_REJECT_LIMIT, "5%")
        .argParser(parseLimit),
    )
    .option("--drop-bad-location", "import rows with invalid coordinates without their coordinates")
    .addHelpText("after", EXIT_HELP);
}

const EXIT_HELP = `
Exit status: 0 published or unchanged (or a dry run that would publish); 1 import failed, nothing changed; 2 usage error.
Mapping files for real open data, and how to write one: docs/mappings/README.md.`;

export async function readImportPlan(
  paths: readonly string[],
  options: ImportCommandOptions,
  command: Command,
): Promise<ImportPlan> {
  const files = await Promise.all(paths.map((path) => findFile(path, command)));
  const { type, format, separator, path, writeMapping, mode, report, maxRejects } = options;
  if (writeMapping !== undefined) {
    if (options.map !== undefined) usageError(command, "--write-mapping writes a guess; leave out --map");
    if (paths.length > 1) usageError(command, "--write-mapping takes one file at a time");
    await requireWritable(writeMapping, command);
    await requireDistinctPaths(
      { option: "--write-mapping", target: writeMapping },
      [...paths, options.source],
      command,
    );
  }
  // Checked before the import: a failure to write the report after publication would look like a failed import.
  if (report !== undefined) {
    await requireWritable(report, command);
    await requireDistinctPaths(
      { option: "--report", target: report },
      [...paths, options.map, options.source],
      command,
    );
  }
  return {
    type,
    format,
    separator,
    path,
    writeMapping,
    mode,
    report,
    maxRejects,
    files,
    mapping: options.map === undefined ? undefined : await readMappingFile(options.map, command),
    source: options.source === undefined ? undefined : await readSourceOption(options.source, command),
    dryRun: options.dryRun ?? false,
    dropBadLocation: options.dropBadLocation ?? false,
    json: options.json ?? false,
  };
}

async function requireDistinctPaths(
  output: { option: string; target: string },
  read: readonly (string | undefined)[],
  command: Command,
): Promise<void> {
  const identity = async (path: string | undefined) => {
    const found = path === undefined ? null : await stat(path).catch(() => null);
    return found?.isFile() ? `${found.dev} ${found.ino}` : null;
  };
  const target = await identity(output.target);
  if (target === null) return;
  for (const path of read)
    if ((await identity(path)) === target)
      usageError(command, `${output.option} would overwrite the input file ${path}; choose another file`);
}

function parsePath(text: string): string {
  if (/^[^.]{1,64}(?:\.[^.]{1,64}){0,5}$/.test(text)) return text;
  throw new InvalidArgumentError("Expected up to six keys joined by dots.");
}

function parseSeparator(text: string): string {
  if (text === "tab") return "\t";
  if (text.length !== 1 || /["\r\n]/.test(text)) throw new InvalidArgumentError("Expected one character, or `tab`.");
  return text;
}

function parseLimit(text: string): RejectLimit {
  const limit = parseRejectLimit(text);
  if (limit === null)
    throw new InvalidArgumentError("Expected a number of rows such as 20, or a percentage such as 5%.");
  return limit;
}

async function findFile(path: string, command: Command): Promise<{ path: string; size: number }> {
  const found = await stat(path).catch(() => null);
  if (found === null) return usageError(command, `no such file: ${path}`);
  if (found.isDirectory()) return usageError(command, `${path} is a folder; list the files in it`);
  return { path, size: found.size };
}

async function readMappingFile(path: string, command: Command): Promise<Mapping> {
  const read = parseMapping(await readText(path, command));
  return "mapping" in read
    ? read.mapping
    : usageError(command, `the mapping ${path} is invalid:\n${renderIssues(read.issues)}`);
}

async function readSourceOption(value: string, command: Command): Promise<ImportSource> {
  const text = value.trimStart().startsWith("{") ? value : await readText(value, command);
  const read = readSource(parseJson(text, command));
  return "source" in read ? read.source : usageError(command, `--source is invalid:\n${renderIssues(read.issues)}`);
}

function parseJson(text: string, command: Command): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return usageError(command, '--source is not valid JSON; example: {"name":"Museofile","licence":"etalab-2.0"}');
  }
}

async function readText(path: string, command: Command): Promise<string> {
  return readFile(path, "utf8").catch(() => usageError(command, `cannot read the file ${path}`));
}
