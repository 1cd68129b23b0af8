/**
 * The first rows are buffered to find the columns and guess a mapping, and then returned again, so the file is read
 * once.
 */
import { decodeToUtf8 } from "./decode.ts";
import { detectDialect, detectFormat, type Dialect, type FileFormat } from "./detect.ts";
import { firstBytes, joined } from "./gunzip.ts";
import { readDelimited } from "./read-delimited.ts";
import { readGeoJson, readNdjson } from "./read-json.ts";
import { crsNamed } from "./projection.ts";
import { unpack } from "./unpack.ts";
import { UnreadableFile, type Row, type Table } from "./table.ts";

const START = 64 * 1024;
/** Rows examined for JSON properties and to guess a mapping. */
const SAMPLE = 1000;

export interface OpenOptions {
  readonly format?: FileFormat | undefined;
  readonly separator?: string | undefined;
  /** Keys of a JSON file that lead to the list of rows, and on to the object in each, joined by dots. */
  readonly path?: string | undefined;
  /** Columns of the mapping, which a JSON file may show only in late rows. */
  readonly columns?: readonly string[];
}

/** Throws `UnreadableFile` when the content is not a table; the file is closed then. */
export async function openTable(
  path: string,
  bytes: AsyncIterable<Uint8Array>,
  options: OpenOptions = {},
): Promise<Table> {
  const unpacked = unpack(bytes);
  const decoded = decodeToUtf8(unpacked.chunks);
  const chunks = decoded.chunks[Symbol.asyncIterator]();
  try {
    return {
      ...(await recognised(() => unpacked.member() ?? path, chunks, options)),
      isSpreadsheet: unpacked.isSpreadsheet(),
      encoding: decoded.encoding,
      foreignLines: decoded.foreignLines,
    };
  } catch (error) {
    await chunks.return?.();
    throw error;
  }
}

async function recognised(
  name: () => string,
  chunks: AsyncIterator<Uint8Array>,
  options: OpenOptions,
): Promise<Omit<Table, "encoding" | "foreignLines" | "isSpreadsheet">> {
  const first = await firstBytes(chunks, START);
  const start = new TextDecoder().decode(first, { stream: true });
  if (start.trim() === "") throw new UnreadableFile("the file is empty");
  if (start.includes("\0"))
    throw new UnreadableFile("the file is not text; save it as CSV, or as XLSX if it is a spreadsheet");

  const path = options.path ?? portalPath(start);
  const format = detectFormat(name(), start, options.format ?? (path === undefined ? undefined : "json"));
  const content = joined(first, chunks);
  if (format === "csv" || format === "tsv") {
    const dialect = detectDialect(start, format, options.separator);
    return { format, separator: dialect.separator, crs: null, ...(await openDelimited(content, dialect)) };
  }
  const columns: string[] = [...(options.columns ?? [])];
  const rows =
    format === "geojson" || format === "json" ? readGeoJson(content, columns, path) : readNdjson(content, columns);
  const crs = crsNamed(/"crs"\s*:\s*\{[^}]*"name"\s*:\s*"([^"]+)"/.exec(start)?.[1] ?? "");
  return { format, separator: null, crs, columns, ...walked(await firstRows(rows), rows) };
}

/** Responses of Opendatasoft, versions 1 and 2. */
function portalPath(start: string): string | undefined {
  if (/^\s*\{\s*"nhits"\s*:/.test(start)) return "records.fields";
  return /^\s*\{\s*"total_count"\s*:\s*\d+\s*,\s*"results"\s*:/.test(start) ? "results" : undefined;
}

type OpenRows = Pick<Table, "sample" | "rows" | "close">;

async function openDelimited(
  content: AsyncIterable<Uint8Array>,
  dialect: Dialect,
): Promise<OpenRows & Pick<Table, "columns">> {
  const rows = readDelimited(content, dialect);
  const [head, ...batches] = await firstRows(rows);
  const [header, ...others] = head ?? [];
  if (header === undefined) throw new UnreadableFile("the file has no header");
  return { columns: columnNames(header.cells), ...walked(others.length > 0 ? [others, ...batches] : batches, rows) };
}

function walked(first: readonly (readonly Row[])[], rest: AsyncGenerator<readonly Row[]>): OpenRows {
  const close = async (): Promise<void> => {
    await rest.return(undefined);
  };
  return { sample: first.flat(), rows: replayed(first, rest), close };
}

/** Trimmed and NFC-normalized; empty names get their position, repeated ones a number. */
function columnNames(cells: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return cells.map((cell, index) => {
    const name =
      cell
        .normalize("NFC")
        .replaceAll(/[\s\u00A0\uFEFF]+/g, " ")
        .trim() || `column ${index + 1}`;
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    return times === 1 ? name : `${name} (${times})`;
  });
}

async function firstRows(rows: AsyncIterator<readonly Row[]>): Promise<(readonly Row[])[]> {
  const batches: (readonly Row[])[] = [];
  let count = 0;
  while (count < SAMPLE) {
    const next = await rows.next();
    if (next.done === true) break;
    batches.push(next.value);
    count += next.value.length;
  }
  return batches;
}

async function* replayed(
  first: readonly (readonly Row[])[],
  rest: AsyncGenerator<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  try {
    yield* first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}
