export const FILE_FORMATS = ["csv", "tsv", "geojson", "ndjson", "json"] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

export interface Dialect {
  readonly separator: string;
  /** False: a quotation mark is an ordinary character (as in BASILIC's TSV). */
  readonly quoted: boolean;
  /** 1 when the file starts with Excel's `sep=;` line. */
  readonly skipLines: 0 | 1;
}

const EXTENSIONS: Readonly<Record<string, FileFormat>> = {
  csv: "csv",
  txt: "csv",
  tsv: "tsv",
  tab: "tsv",
  geojson: "geojson",
  ndjson: "ndjson",
  jsonl: "ndjson",
  geojsonl: "ndjson",
  geojsons: "ndjson",
};

export function detectFormat(path: string, start: string, requested?: FileFormat): FileFormat {
  if (requested !== undefined) return requested;
  const extension = /\.([a-z0-9]+)(?:\.(?:gz|txt))?$/i.exec(path)?.[1]?.toLowerCase() ?? "";
  const text = start.trimStart();
  const byName = EXTENSIONS[extension];
  if (byName !== undefined && byName !== "csv") return byName;
  if (text.startsWith("[")) return "json";
  if (text.startsWith("{")) return beginsWithWholeObject(text) ? "ndjson" : "geojson";
  return byName ?? (text.split("\n", 1)[0].includes("\t") ? "tsv" : "csv");
}

/**
 * NDJSON has a complete object on its first line. So does a one-line FeatureCollection, which the second check
 * excludes.
 */
function beginsWithWholeObject(text: string): boolean {
  if (/^\{[^{[]*"type"\s*:\s*"FeatureCollection"/.test(text) || /^\{\s*"features"/.test(text)) return false;
  const [first] = text.split(/\r?\n/, 1);
  try {
    const value: unknown = JSON.parse(first);
    return typeof value === "object" && value !== null && !Array.isArray(value) && !("features" in value);
  } catch {
    return false;
  }
}

const SEPARATORS = [";", ",", "\t", "|"] as const;

/** The separator that gives the most cells with a consistent count in the first records. */
export function detectDialect(start: string, format: "csv" | "tsv", requested?: string): Dialect {
  const declared = /^sep=([;,\t|])\r?\n/i.exec(start);
  const text = declared === null ? start : start.slice(declared[0].length);
  const skipLines = declared === null ? 0 : 1;

  const separator =
    requested ??
    declared?.[1] ??
    (format === "tsv" && firstRecord(text, "\t").length > 1 ? "\t" : mostLikelySeparator(text));
  return { separator, quoted: separator !== "\t" || hasQuotedCell(text), skipLines };
}

function mostLikelySeparator(text: string): string {
  let best: string = ",";
  let bestScore = 0;
  for (const separator of SEPARATORS) {
    const widths = recordWidths(text, separator, 20);
    const width = widths[0] ?? 1;
    if (width < 2) continue;
    const agreeing = widths.filter((candidate) => candidate === width).length / widths.length;
    // Consistency outweighs count: a comma in every sentence does not separate columns.
    const score = agreeing ** 3 * width;
    if (score > bestScore) [best, bestScore] = [separator, score];
  }
  return best;
}

/** Quoting is rare in TSV, so require a cell quoted from end to end. */
function hasQuotedCell(text: string): boolean {
  return /(?:^|\t|\n)"(?:[^"\t\n]|"")*"(?:\t|\r?\n|$)/.test(text);
}

function firstRecord(text: string, separator: string): string[] {
  return (text.split(/\r\n|\n|\r/, 1)[0] ?? "").split(separator);
}

/**
 * Cell counts of the first records, with quoting. Omits the last record, which may be cut, unless it is the only one.
 */
function recordWidths(text: string, separator: string, most: number): number[] {
  const widths: number[] = [];
  let cells = 1;
  let insideQuotes = false;
  let hasContent = false;
  for (let index = 0; index < text.length && widths.length < most; index++) {
    const letter = text[index];
    if (letter === '"') insideQuotes = !insideQuotes;
    else if (insideQuotes) continue;
    else if (letter === separator) cells++;
    else if (letter === "\n" || letter === "\r") {
      if (hasContent) widths.push(cells);
      cells = 1;
      hasContent = false;
      continue;
    }
    hasContent = true;
  }
  if (widths.length === 0) widths.push(cells);
  return widths;
}
