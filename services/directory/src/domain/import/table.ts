/**
 * A file as the importer sees it, whatever its format: names of columns and rows of text cells. JSON values are written as
 * text too, so that every later step knows one form only.
 */
import type { ForeignLines } from "./decode-lines.ts";
import type { FileFormat } from "./detect.ts";

/** One row of a file. A cell that is absent from the row is `undefined`, an unknown value is the empty text. */
export interface Row {
  /** Line of the file on which the row begins; in GeoJSON and JSON the number of the feature or entry. From 1. */
  readonly line: number;
  readonly cells: readonly string[];
  /** Place of a GeoJSON feature; absent in other formats. `null`: it has no point. */
  readonly geometry?: Geometry | null;
  /** Why the row could not be read; its cells are then empty. */
  readonly broken?: string;
}

export interface Geometry {
  readonly kind: string;
  /** Longitude and latitude as text, for a Point only. */
  readonly point: readonly [string, string] | null;
}

/** An opened file: its columns are known, its rows are still to be read. */
export interface Table {
  readonly format: FileFormat;
  /** As recognised: `utf-8`, `utf-8 with BOM`, `windows-1252`, `utf-16le`, `utf-16be`. Final after the last row. */
  encoding(): string;
  /** Lines in another encoding than most, so far; null in a file of one encoding. */
  foreignLines(): ForeignLines | null;
  /** Cell separator, or null where the format has none. */
  readonly separator: string | null;
  /** Names in the order of the cells. For JSON: those of the first rows and those that were asked for. */
  readonly columns: readonly string[];
  /** The first rows, for guessing; they come again from `rows`. */
  readonly sample: readonly Row[];
  /** All rows in the order of the file. May be walked once; walking to the end or stopping early closes the file. */
  readonly rows: AsyncIterable<readonly Row[]>;
  /** For a table that is not walked: lets go of the file. May be called twice. */
  close(): Promise<void>;
}

/** The file cannot be imported at all: a sentence for the person who runs the import. */
export class UnreadableFile extends Error {
  override readonly name = "UnreadableFile";
}
