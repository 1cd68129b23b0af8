/** Reads CSV and TSV. The limit on a record's length bounds memory, because an unclosed quote would consume the rest of the file. */
import { parse, CsvError } from "csv-parse";
import type { Dialect } from "./detect.ts";
import { UnreadableFile, type Row } from "./table.ts";

/** Maximum record size in bytes, far above real rows. */
const MAX_RECORD = 4 * 1024 * 1024;
const BATCH = 256;

/** End of a record: its last line, and the empty lines skipped so far. */
interface Mark {
  readonly lines: number;
  readonly emptyLines: number;
}

export async function* readDelimited(
  bytes: AsyncIterable<Uint8Array>,
  dialect: Dialect,
): AsyncGenerator<readonly Row[]> {
  // The parser runs ahead of its reader; one mark per queued record.
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
      batch.push({ line: endedOn + 1 + emptyLines - emptyBefore, cells });
      [endedOn, emptyBefore] = [lines, emptyLines];
      if (batch.length < BATCH) continue;
      yield batch;
      batch = [];
    }
    await fed;
    if (batch.length > 0) yield batch;
  } catch (error) {
    // A read error takes precedence over the parser's error on the truncated text.
    await fed;
    throw error instanceof CsvError ? new UnreadableFile(sentence(error, parsedTo + 1)) : error;
  } finally {
    parser.destroy();
    await fed.catch(() => undefined);
  }
}

type Parser = ReturnType<typeof parse>;

/** Writes with backpressure; a source error ends the parser with that error. */
async function feed(parser: Parser, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const chunk of bytes) {
      if (parser.destroyed) return;
      if (!parser.write(chunk)) await drained(parser);
    }
    parser.end();
  } catch (error) {
    parser.destroy(error instanceof Error ? error : new Error("reading the file failed", { cause: error }));
  }
}

function drained(parser: Parser): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      parser.off("drain", go).off("close", go);
      resolve();
    };
    // "close" too, so that a reader that stops early does not block the feeder.
    parser.on("drain", go).on("close", go);
  });
}

function sentence(error: CsvError, line: number): string {
  if (error.code === "CSV_QUOTE_NOT_CLOSED")
    return `line ${line}: a quotation mark on this or a later line is not closed`;
  if (error.code === "CSV_MAX_RECORD_SIZE") {
    return `line ${line}: this row is longer than ${MAX_RECORD / 1024 / 1024} MiB; a quotation mark may be unclosed`;
  }
  return `line ${line}: the row cannot be read (${error.code})`;
}
