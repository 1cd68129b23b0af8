/**
 * The import pipeline: files in, items and a report out, row by row. It does not publish: the caller stages the
 * items, checks the report and then swaps versions. Throws `ImportRefused`, possibly after some rows; the caller
 * discards the staging.
 */
import type { ItemType } from "@triptych/contracts";
import type { StoredItem } from "../catalogue.ts";
import type { FileFormat } from "./detect.ts";
import { guessRemarks, mixedEncoding, unseenColumns } from "./file-remarks.ts";
import { guessMapping } from "./guess-mapping.ts";
import { compileMapping, type MappedRow, type RowMapper } from "./map-row.ts";
import { columnsOf, unknownColumns } from "./mapping-columns.ts";
import type { ImportSource, Mapping, MappingIssue } from "./mapping.ts";
import { openTable } from "./open-table.ts";
import type { Boundaries } from "./boundaries.ts";
import type { ItemSource } from "./read-content.ts";
import { createReport, type ImportReport } from "./report.ts";
import { notesOf, RULES, type Notes, type RuleEvent } from "./rules.ts";
import type { Addresses } from "../published-versions.ts";
import { createSlugRegistry, type AssignedSlug, type SlugRequest } from "./slug-registry.ts";
import { UnreadableFile, type Row, type Table } from "./table.ts";
import { createTagLabels, type CountedLabel } from "./tag-labels.ts";

export interface ImportOptions {
  readonly type: ItemType;
  readonly format?: FileFormat | undefined;
  readonly separator?: string | undefined;
  /** Keys that lead to the rows of a JSON file. */
  readonly path?: string | undefined;
  readonly mapping?: Mapping | undefined;
  /** Overrides the mapping's source; the default is the file name. */
  readonly source?: ImportSource | undefined;
  readonly dropBadLocation?: boolean;
  readonly now: Date;
  readonly slugs: Addresses;
  readonly outlines: Boundaries | null;
}

export interface ImportFile {
  readonly path: string;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** A file whose columns fit its mapping. Read its rows or call `table.close`. */
export interface OpenedFile {
  readonly path: string;
  readonly table: Table;
  readonly mapping: Mapping;
  readonly guessed: boolean;
  readonly source: ItemSource;
}

export type RowOutcome = AcceptedRow | RejectedRow;
export interface AcceptedRow {
  readonly kind: "accepted";
  readonly line: number;
  readonly item: StoredItem;
  /** An earlier row of this import had the same ID; this one replaces it. */
  readonly replaces: boolean;
  readonly events: readonly RuleEvent[];
}
export interface RejectedRow {
  readonly kind: "rejected";
  readonly line: number;
  readonly events: readonly RuleEvent[];
}

interface RefusalDetails {
  readonly issues?: readonly MappingIssue[];
  readonly partial?: Partial<Mapping> | null;
}

/** A file, its mapping or its content cannot be imported. `issues`: all errors of the mapping. */
export class ImportRefused extends Error {
  override readonly name = "ImportRefused";
  readonly path: string;
  readonly issues: readonly MappingIssue[];
  /** What was recognized of a file that has no mapping. */
  readonly partial: Partial<Mapping> | null;
  constructor(path: string, reason: string, { issues = [], partial = null }: RefusalDetails = {}) {
    super(`${path}: ${reason}`);
    this.path = path;
    this.issues = issues;
    this.partial = partial;
  }
}

export interface Import {
  open(file: ImportFile): Promise<OpenedFile>;
  /** The rows of an opened file in order, in small batches. One file at a time. */
  rows(opened: OpenedFile): AsyncGenerator<readonly RowOutcome[]>;
  tagLabels(): CountedLabel[];
  report(published: string | null): ImportReport;
}

interface MappedEntry {
  readonly row: Row;
  readonly notes: Notes;
  readonly source: ItemSource;
  readonly mapped: MappedRow | null;
}

export function createImport(options: ImportOptions): Import {
  const slugs = createSlugRegistry(options.slugs);
  const tags = createTagLabels();
  const report = createReport();

  const accept = (
    { sourceId, fields, tags: spellings }: MappedRow,
    assigned: AssignedSlug,
    { row, notes, source }: MappedEntry,
  ): AcceptedRow => {
    const { slug, repeated, requested } = assigned;
    if (repeated) notes.note("id_repeated", { value: sourceId, result: `${fields.type}/${slug}` });
    if (requested !== null) notes.note("slug_numbered", { value: requested, result: slug });
    for (const tag of spellings) tags.add(tag, row.line);
    fields.slug = slug;
    report.accepted({ repaired: notes.repaired, replaces: repeated });
    const item = { sourceName: source.name, sourceId, item: fields };
    return { kind: "accepted", line: row.line, item, replaces: repeated, events: notes.events };
  };
  const finish = (walked: readonly MappedEntry[], assigned: readonly AssignedSlug[]): RowOutcome[] => {
    let next = 0;
    return walked.map((entry): RowOutcome => {
      const { mapped, notes, row } = entry;
      const outcome = mapped === null ? null : accept(mapped, assigned[next++], entry);
      report.events(notes.events);
      if (outcome !== null) return outcome;
      report.rejected();
      return { kind: "rejected", line: row.line, events: notes.events };
    });
  };

  return {
    open: (file) => openFile(file, options),
    async *rows(opened) {
      const { path, table, mapping, source } = opened;
      const { format, separator, columns } = table;
      const dialect = table.isSpreadsheet ? { format: "xlsx", separator: null } : { format, separator };
      report.file({ path, ...dialect, encoding: table.encoding() });
      report.events([...unseenColumns(mapping, table), ...(opened.guessed ? guessRemarks(mapping, table) : [])]);
      const { type, outlines, dropBadLocation = false } = options;
      const context = {
        columns,
        type,
        source,
        outlines,
        dropBadLocation,
        crs: table.crs,
        now: options.now.toISOString(),
      };
      const map = checkingCells(compileMapping(mapping, context), table);
      try {
        for await (const rows of table.rows) {
          const walked = rows.map((row) => {
            const notes = notesOf(row.line);
            return { row, notes, source, mapped: map(row, notes) };
          });
          yield finish(walked, await slugs.give(walked.flatMap(slugRequestsOf)));
        }
      } catch (error) {
        throw refusal(path, error);
      } finally {
        report.fileRead(table.encoding());
        report.events(mixedEncoding(table));
      }
    },
    tagLabels: () => tags.labels(),
    report: (published) =>
      report.report(
        published,
        tags.merged().map(({ slug, label, spellings, line }) => ({
          rule: "tag_spellings_merged",
          action: RULES.tag_spellings_merged.action,
          line,
          column: "tags",
          value: spellings.join(" | ").slice(0, 120),
          result: `${label} (${slug})`,
        })),
      ),
  };
}

async function openFile({ path, bytes }: ImportFile, options: ImportOptions): Promise<OpenedFile> {
  const requestedMapping = options.mapping;
  let table: Table | undefined;
  try {
    table = await openTable(path, bytes, {
      format: options.format,
      separator: options.separator,
      path: options.path,
      columns: requestedMapping === undefined ? [] : columnsOf(requestedMapping),
    });
    const mapping = requestedMapping ?? guessedFor(path, table);
    // A JSON property may first appear in a late row; table columns are all in the header.
    const issues = table.separator === null ? [] : unknownColumns(mapping, table.columns);
    if (issues.length > 0)
      throw new ImportRefused(path, `the mapping names columns missing from the file${separatorHint(table)}`, {
        issues,
      });
    const source = options.source ?? mapping.source ?? { name: path.split(/[/\\]/).at(-1) ?? path };
    return { path, table, mapping, guessed: requestedMapping === undefined, source: itemSource(source) };
  } catch (error) {
    await table?.close();
    throw refusal(path, error);
  }
}

function guessedFor(path: string, table: Table): Mapping {
  const { columns, sample } = table;
  if (sample.length === 0) throw new ImportRefused(path, "the file has no rows");
  const guess = guessMapping(columns, sample);
  if ("mapping" in guess) return guess.mapping;
  const missing = guess.missing.join(" nor for ");
  const remark =
    guess.unfit === undefined
      ? ""
      : ` ("${guess.unfit}" has empty or repeated values in the first rows; a mapping can still use it)`;
  throw new ImportRefused(
    path,
    `no column for ${missing} was recognised among: ${columns.slice(0, 40).join(", ")}${remark}${separatorHint(table)}. Complete the mapping`,
    { partial: guess.partial },
  );
}

function separatorHint({ separator, columns }: Table): string {
  return separator === null || columns.length > 1
    ? ""
    : " (the file has only one column; set its separator with --separator)";
}

function itemSource({ name, url, licence, retrieved_at }: ImportSource): ItemSource {
  const time = retrieved_at === undefined ? null : new Date(retrieved_at);
  const isTime = time !== null && !Number.isNaN(time.getTime());
  return { name, url: url ?? null, licence: licence ?? null, retrieved_at: isTime ? time.toISOString() : null };
}

function refusal(path: string, error: unknown): unknown {
  return error instanceof UnreadableFile ? new ImportRefused(path, error.message) : error;
}

function slugRequestsOf({ mapped, source }: MappedEntry): SlugRequest[] {
  if (mapped === null) return [];
  const { type, title, commune } = mapped.fields;
  return [{ type, title, sourceName: source.name, sourceId: mapped.sourceId, commune: commune?.nom ?? null }];
}

/** Table rows must have as many cells as the header; JSON rows need not. */
function checkingCells(map: RowMapper, { separator, columns }: Table): RowMapper {
  if (separator === null) return map;
  return (row, notes) => {
    const width = row.cells.length;
    if (width > columns.length && row.cells.slice(columns.length).some((cell) => cell.trim() !== "")) {
      // A separator inside a cell has shifted the others, so their columns are unreliable.
      notes.note("cells_too_many", { value: String(width), result: String(columns.length) });
      return null;
    }
    if (width < columns.length) notes.note("cells_missing", { value: String(width), result: String(columns.length) });
    return map(row, notes);
  };
}
