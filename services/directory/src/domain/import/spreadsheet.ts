/** The first sheet of an XLSX file with a table, as CSV: one line per row of the sheet, so that line numbers are right. */
import readSheets from "read-excel-file/node";
import { UnreadableFile } from "./table.ts";

type Cell = string | number | boolean | Date | null;
/** Titles above the header have fewer cells. */
const HEADER_CELLS_MIN = 2;

export async function* sheetAsText(bytes: Buffer): AsyncGenerator<Uint8Array> {
  const rows = await tableOf(bytes);
  const header = rows.findIndex((row) => row.filter((cell) => cell !== null).length >= HEADER_CELLS_MIN);
  if (header < 0) throw new UnreadableFile("the spreadsheet has no table with a header");
  const width = rows[header].findLastIndex((cell) => cell !== null) + 1;
  for (const [index, row] of rows.entries()) {
    const isEmpty = index < header || row.every((cell) => cell === null);
    yield Buffer.from(
      isEmpty
        ? "\n"
        : `${row
            .slice(0, Math.max(width, lastCell(row)))
            .map(quoted)
            .join(",")}\n`,
    );
  }
}

async function tableOf(bytes: Buffer): Promise<readonly (readonly Cell[])[]> {
  try {
    const sheets: readonly { readonly data: readonly (readonly unknown[])[] }[] = await readSheets(bytes);
    const rows = sheets.find(({ data }) => data.length > 1)?.data ?? [];
    return rows.map((row) => row.map(cellOf));
  } catch (error) {
    const reason = error instanceof Error ? error.message : "unreadable";
    throw new UnreadableFile(`the spreadsheet cannot be read (${reason})`);
  }
}

function cellOf(value: unknown): Cell {
  const isCell = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  return isCell || value instanceof Date ? value : null;
}

function lastCell(row: readonly Cell[]): number {
  return row.findLastIndex((cell) => cell !== null && cell !== "") + 1;
}

/** A line break in a cell becomes U+2028, which texts read as a line break and the CSV parser does not. */
function quoted(cell: Cell): string {
  const text = cell instanceof Date ? cell.toISOString().replace(/T00:00:00\.000Z$/, "") : String(cell ?? "");
  return `"${text.replaceAll(/\r\n?|\n/g, "\u2028").replaceAll('"', '""')}"`;
}
