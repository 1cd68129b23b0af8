/**
 * Accepts decimals with point or comma, degrees/minutes/seconds, direction letters (N S E W, O for ouest), both axes
 * in one cell, brackets, WKT points.
 */
export type AxisOrder = "lat,lon" | "lon,lat";

type Spelling = "comma" | "degrees";

export interface Coordinate {
  readonly value: number;
  readonly spelling: Spelling | null;
  readonly axis: "lat" | "lon" | null;
}

const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?$/;
const COMMA_DECIMAL = /^[+-]?\d+,\d+$/;
const DEGREES =
  /^([NSEWO])?\s*([+-]?\d{1,3}(?:[.,]\d+)?)\s*[°º]?\s*(?:(\d{1,2}(?:[.,]\d+)?)\s*['’′]\s*)?(?:(\d{1,2}(?:[.,]\d+)?)\s*(?:"|”|″|''|’’)\s*)?([NSEWO])?$/i;

export function readCoordinate(raw: string): Coordinate | null {
  if (DECIMAL.test(raw)) return { value: Number(raw), spelling: null, axis: null };
  const text = raw.replaceAll("\u00A0", " ").replaceAll("−", "-").trim();
  if (DECIMAL.test(text)) return { value: Number(text), spelling: null, axis: null };
  if (COMMA_DECIMAL.test(text)) return { value: Number(text.replace(",", ".")), spelling: "comma", axis: null };
  return readDegrees(text);
}

function readDegrees(text: string): Coordinate | null {
  const parts = DEGREES.exec(text);
  if (parts === null) return null;
  const [, before, degrees, minutes = "0", seconds = "0", behind] = parts;
  const letter = (before ?? behind ?? "").toUpperCase();
  if (letter === "" && !/[°º'’′"”″]/.test(text)) return null;
  const size = Math.abs(number(degrees)) + number(minutes) / 60 + number(seconds) / 3600;
  const negative = degrees.startsWith("-") || letter === "S" || letter === "W" || letter === "O";
  const axis = letter === "" ? null : letter === "N" || letter === "S" ? "lat" : "lon";
  return { value: negative ? -size : size, spelling: "degrees", axis };
}

function number(text: string): number {
  return Number(text.replace(",", "."));
}

/** Splits a cell with both axes, in cell order; null unless there are exactly two parts. */
export function splitPair(
  raw: string,
): { readonly first: string; readonly second: string; readonly order: AxisOrder | null } | null {
  const text = raw.replaceAll("\u00A0", " ").trim();
  const wkt = /^(?:SRID=\d+;)?POINT\s*\(\s*(\S+)\s+(\S+)\s*\)$/i.exec(text);
  if (wkt !== null) return { first: wkt[1], second: wkt[2], order: "lon,lat" };
  const geoJson =
    /^\{\s*"type"\s*:\s*"Point"\s*,\s*"coordinates"\s*:\s*\[\s*([^,\s]+)\s*,\s*([^,\s\]]+)|^\{\s*"coordinates"\s*:\s*\[\s*([^,\s]+)\s*,\s*([^,\s\]]+)[^\]]*\]\s*,\s*"type"\s*:\s*"Point"/.exec(
      text,
    );
  if (geoJson !== null)
    return { first: geoJson[1] ?? geoJson[3] ?? "", second: geoJson[2] ?? geoJson[4] ?? "", order: "lon,lat" };
  const bare = text.replaceAll(/^[[({]\s*|\s*[\])}]$/g, "");
  const parts = partsOf(bare);
  return parts === null ? null : { first: parts[0], second: parts[1], order: null };
}

function partsOf(text: string): readonly [string, string] | null {
  for (const separator of [/\s*[;|/]\s*/, /,\s+/, /\s+/, /,/]) {
    const parts = text.split(separator);
    if (parts.length === 2) return [parts[0].trim(), parts[1].trim()];
  }
  // `48,85,2,35`: two numbers with decimal commas.
  const commas = text.split(",");
  if (commas.length === 4) return [`${commas[0]},${commas[1]}`, `${commas[2]},${commas[3]}`];
  // `48° 51' 24" N 2° 21' 3" E`: the first direction letter ends the first part.
  const directed = /^(.*?[NSEWO])[\s,;]+(.+)$/i.exec(text);
  return directed === null ? null : [directed[1], directed[2]];
}
