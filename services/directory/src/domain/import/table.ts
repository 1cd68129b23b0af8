import type { ForeignLines } from "./decode-lines.ts";
import type { FileFormat } from "./detect.ts";
import type { Crs } from "./projection.ts";

/** One row. A missing cell is `undefined`, an unknown value the empty string. */
export interface Row {
  /** First line of the row, or number of the feature or entry in GeoJSON and JSON; counted from 1. */
  readonly line: number;
  readonly cells: readonly string[];
  /** Geometry of a GeoJSON feature. `null`: no point. */
  readonly geometry?: Geometry | null;
  readonly broken?: string;
}

export interface Geometry {
  readonly kind: string;
  readonly point: readonly [string, string] | null;
}

export interface Table {
  readonly format: FileFormat;
  /** Detected: `utf-8`, `utf-8 with BOM`, `windows-1252`, `utf-16le`, `utf-16be`. Final after the last row. */
  encoding(): string;
  /** Lines so far in another encoding; null in a file of one encoding. */
  foreignLines(): ForeignLines | null;
  readonly separator: string | null;
  /** Read from an XLSX file, as CSV with one line per row of the sheet. */
  readonly isSpreadsheet: boolean;
  /** The coordinate reference system that a GeoJSON file declares. */
  readonly crs: Crs | null;
  /** In cell order. For JSON: those of the first rows and of the mapping. */
  readonly columns: readonly string[];
  readonly sample: readonly Row[];
  /** All rows in file order. Iterable once; closes the file at the end or when stopped early. */
  readonly rows: AsyncIterable<readonly Row[]>;
  /** Closes a table that is not iterated. Idempotent. */
  close(): Promise<void>;
}

/** The file cannot be imported; the message is for the user. */
export class UnreadableFile extends Error {
  override readonly name = "UnreadableFile";
}
