/**
 * CSV and TSV -> rows, with csv-parse. Memory is bounded by the longest record, which is bounded too: a quote that is never
 * closed would otherwise swallow the rest of the file. Rows keep the line on which they begin, because that is where a person
 * looks for them.
 */
import { parse, CsvError } from "csv-parse";
import type { Dialect } from "./detect.ts";
import { UnreadableFile, type Row } from "./table.ts";

/** Longest record in bytes: far above real rows, far below what hurts. */
const MAX_RECORD = 4 * 1024 * 1024;
/** Rows handed over at once: saves most of the cost of asynchronous steps. */
const BATCH = 256;

/** Where a record ends: its last line, and the empty lines skipped up to it. */
interface Mark {
  readonly lines: number;
  readonly emptyLines: number;
}

/** All records of the file, the header first. `bytes` is UTF-8. */
export async function* readDelimited(
  bytes: AsyncIterable<Uint8Array>,
  dialect: Dialect,
): AsyncGenerator<readonly Row[]> {
  // The parser runs ahead of its reader: one mark waits here for each record that waits there.
  const marks: Mark[] = [];
  let parsedTo = 0;
  const parser = parse({
    delimiter: dialect.separator,
    quote: dialect.quoted ? '"' : null,
    record_delimiter: ["\r\n", "\n", "\r"],
    from_line: 1 + dialect.skipLines,
    on_record: (cells, { lines, empty_lines: emptyLines }) => {
      marks.push({ lines, emptyLines });
      parsedTo = lines;
      return cells;
    },
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: MAX_RECORD,
  });
  const fed = feed(parser, bytes);
  let batch: Row[] = [];
  let emptyBefore = 0;
  let endedOn = 0;
  try {
    const records: AsyncIterable<string[]> = parser;
    for await (const cells of records) {
      const { lines, emptyLines } = marks.shift() ?? { lines: endedOn + 1, emptyLines: emptyBefore };
      // Skipped empty lines lie between the last record and this one.
      batch.push({ line: endedOn + 1 + emptyLines - emptyBefore, cells });
      [endedOn, emptyBefore] = [lines, emptyLines];
      if (batch.length < BATCH) continue;
      yield batch;
      batch = [];
    }
    await fed;
    if (batch.length > 0) yield batch;
  } catch (error) {
    // A refusal of what comes before (a file that cannot be read) wins over what the parser makes of the cut text.
    await fed;
    throw error instanceof CsvError ? new UnreadableFile(sentence(error, parsedTo + 1)) : error;
  } finally {
    parser.destroy();
    await fed.catch(() => undefined);
  }
}

type Parser = ReturnType<typeof parse>;

/** Writes with back-pressure; an error of the source ends the parser with that error. */
async function feed(parser: Parser, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const chunk of bytes) {
      if (parser.destroyed) return;
      if (!parser.write(chunk)) await roomIn(parser);
    }
    parser.end();
  } catch (error) {
    parser.destroy(error instanceof Error ? error : new Error("the file could not be read", { cause: error }));
  }
}

function roomIn(parser: Parser): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      parser.off("drain", go).off("close", go);
      resolve();
    };
    // "close" as well: a reader that stops early must not leave the feeder waiting.
    parser.on("drain", go).on("close", go);
  });
}

function sentence(error: CsvError, line: number): string {
  if (error.code === "CSV_QUOTE_NOT_CLOSED")
    return `line ${line}: a quotation mark opens here or below and is never closed`;
  if (error.code === "CSV_MAX_RECORD_SIZE") {
    return `line ${line}: this row is longer than ${MAX_RECORD / 1024 / 1024} MiB; a quotation mark may never be closed`;
  }
  return `line ${line}: the row cannot be read (${error.code})`;
}
