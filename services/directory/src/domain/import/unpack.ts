/**
 * Unpacks gzip files, ZIP archives with a single data file, and spreadsheets (XLSX). A file that expands too much is
 * refused while it is read: a few kilobytes can hold gigabytes.
 */
import { firstBytes, gunzipped, joined } from "./gunzip.ts";
import { UnreadableFile } from "./table.ts";
import { sheetAsText } from "./spreadsheet.ts";
import { memberStream, zipMembers, type ZipArchive, type ZipMember } from "./zip-archive.ts";

export interface Unpacked {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Name of the unpacked file, known with the first chunk; null if the file is not packed. */
  member(): string | null;
  isSpreadsheet(): boolean;
}

/** An archive is read as a whole, because its directory is at the end. */
const ARCHIVE_BYTES_MAX = 256 * 1024 * 1024;
/** A spreadsheet is held in memory with all its cells. */
const SHEET_BYTES_MAX = 256 * 1024 * 1024;
const DATA_FILE = /\.(?:csv|txt|tsv|tab|geojson|json|ndjson|jsonl|geojsonl|geojsons)$/i;

interface Contents {
  member: string | null;
  isSpreadsheet: boolean;
}

export function unpack(source: AsyncIterable<Uint8Array>): Unpacked {
  const found: Contents = { member: null, isSpreadsheet: false };
  return {
    chunks: unpacked(source, found),
    member: () => found.member,
    isSpreadsheet: () => found.isSpreadsheet,
  };
}

async function* unpacked(source: AsyncIterable<Uint8Array>, found: Contents): AsyncGenerator<Uint8Array> {
  const chunks = gunzipped(source)[Symbol.asyncIterator]();
  const first = await firstBytes(chunks, 4);
  const all = joined(first, chunks);
  if (Buffer.from(first.subarray(0, 4)).toString("latin1") !== "PK\u0003\u0004") {
    yield* all;
    return;
  }
  const bytes = await wholeFile(all);
  const archive = await zipMembers(bytes);
  if (archive.members.some(({ name }) => name === "xl/workbook.xml")) {
    await requireSize(archive);
    found.isSpreadsheet = true;
    yield* sheetAsText(bytes);
    return;
  }
  const member = dataFileIn(archive);
  found.member = member.name;
  yield* memberStream(archive, member);
}

async function wholeFile(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    size += chunk.length;
    if (size > ARCHIVE_BYTES_MAX) throw new UnreadableFile("the archive is larger than 256 MiB; unpack it first");
  }
  return Buffer.concat(parts);
}

/** Decompresses to find the real size, because the sizes that an archive declares may be wrong. */
async function requireSize(archive: ZipArchive): Promise<void> {
  let size = 0;
  for (const member of archive.members)
    for await (const chunk of memberStream(archive, member)) {
      size += chunk.length;
      if (size > SHEET_BYTES_MAX)
        throw new UnreadableFile("the spreadsheet has more than 256 MiB of cells; save it as CSV");
    }
}

function dataFileIn({ members }: ZipArchive): ZipMember {
  const files = members.filter(
    ({ name, size }) => size > 0 && !/^__MACOSX\/|(?:^|\/)\./.test(name) && DATA_FILE.test(name),
  );
  const [only, ...others] = files;
  if (only === undefined) throw new UnreadableFile("the ZIP archive holds no CSV, TSV, JSON or GeoJSON file");
  if (others.length === 0) return only;
  const names = files.map(({ name }) => name).slice(0, 10);
  throw new UnreadableFile(
    `the ZIP archive holds ${files.length} data files: ${names.join(", ")}; unpack the one to import`,
  );
}
