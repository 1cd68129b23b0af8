/**
 * Reads GeoJSON and NDJSON. Numbers and booleans become JSON, scalar lists are joined by `|`, nested objects become
 * `outer.inner`, a Feature's `id` is `@id`, its position `@point`. Columns grow with new properties; earlier rows are
 * shorter. Lone surrogates (`\ud800`), which UTF-8 cannot encode, become U+FFFD.
 */
import { isRecord } from "@triptych/util";
import { jsonSlices, type Slice } from "./json-slices.ts";
import { UnreadableFile, type Geometry, type Row } from "./table.ts";

const FEATURES = "features";
const FEATURE_ID = "@id";
/** Position of a Feature: in some files, only it distinguishes features of the same name. */
export const FEATURE_POINT = "@point";
const MAX_DEPTH = 3;
/** Files with more property names are rejected: they use keys as data. */
const MAX_COLUMNS = 2000;
const MAX_LINE = 16 * 1024 * 1024;

/**
 * Fills `columns` while reading. Rows have feature numbers instead of line numbers, because a file is often a single
 * line.
 */
export async function* readGeoJson(
  bytes: AsyncIterable<Uint8Array>,
  columns: string[],
  path: string = FEATURES,
): AsyncGenerator<readonly Row[]> {
  const keys = path.split(".");
  const read = rowReader(columns, path === FEATURES ? [] : keys);
  let number = 0;
  for await (const slices of jsonSlices(bytes, keys)) yield slices.map(({ text }) => read({ text, line: ++number }));
}

export async function* readNdjson(bytes: AsyncIterable<Uint8Array>, columns: string[]): AsyncGenerator<readonly Row[]> {
  const read = rowReader(columns);
  for await (const lines of nonEmptyLines(bytes)) yield lines.map(read);
}

function rowReader(columns: string[], keys: readonly string[] = []): (slice: Slice) => Row {
  const indexes = new Map(columns.map((name, index) => [name, index]));
  const nameOf = nameReader();
  return ({ text, line }) => {
    let value: unknown;
    try {
      value = memberAt(JSON.parse(text), keys);
    } catch {
      return { line, cells: [], broken: "is not JSON" };
    }
    if (!isRecord(value)) return { line, cells: [], broken: "is not a JSON object" };

    const cells: string[] = [];
    const setCell = (name: string, cell: string): void => {
      let index = indexes.get(name);
      if (index === undefined) {
        index = columns.length;
        if (index >= MAX_COLUMNS)
          throw new UnreadableFile(`row ${line}: more than ${MAX_COLUMNS} distinct property names`);
        columns.push(name);
        indexes.set(name, index);
      }
      while (cells.length < index) cells.push("");
      cells[index] = cell;
    };
    if (value["type"] !== "Feature") {
      flatten(value, { nameOf, setCell });
      return { line, cells };
    }
    if (isRecord(value["properties"])) flatten(value["properties"], { nameOf, setCell });
    const id = value["id"];
    if (typeof id === "string" || typeof id === "number") setCell(FEATURE_ID, String(id).toWellFormed());
    const geometry = geometryOf(value["geometry"]);
    if (geometry !== null && geometry.point !== null) setCell(FEATURE_POINT, geometry.point.join(","));
    return { line, cells, geometry };
  };
}

/** The innermost object that the keys lead to; keys outside the array are not in an element. */
function memberAt(element: unknown, keys: readonly string[]): unknown {
  let value = element;
  for (const key of keys) if (isRecord(value) && isRecord(value[key])) value = value[key];
  return value;
}

/** Normalizes and trims each name once: a file has few names and a million rows. */
function nameReader(): (key: string) => string {
  const names = new Map<string, string>();
  return (key) => {
    const cached = names.get(key);
    if (cached !== undefined) return cached;
    const name = key.toWellFormed().normalize("NFC").trim();
    // Bounded, because keys may be data.
    if (names.size < MAX_COLUMNS) names.set(key, name);
    return name;
  };
}

interface FlattenContext {
  readonly nameOf: (key: string) => string;
  readonly setCell: (name: string, cell: string) => void;
}

function flatten(
  value: Readonly<Record<string, unknown>>,
  { nameOf, setCell }: FlattenContext,
  prefix = "",
  depth = 1,
): void {
  for (const [key, member] of Object.entries(value)) {
    const name = prefix + nameOf(key);
    if (isScalar(member)) setCell(name, String(member).toWellFormed());
    else if (member === null) setCell(name, "");
    else if (Array.isArray(member)) setCell(name, member.filter(isScalar).map(String).join("|").toWellFormed());
    else if (isRecord(member) && depth < MAX_DEPTH) flatten(member, { nameOf, setCell }, `${name}.`, depth + 1);
  }
}

function geometryOf(value: unknown): Geometry | null {
  if (!isRecord(value)) return null;
  const kind = String(value["type"]);
  const position = value["coordinates"];
  if (kind !== "Point" || !Array.isArray(position)) return { kind, point: null };
  const [lon, lat] = position;
  return { kind, point: typeof lon === "number" && typeof lat === "number" ? [String(lon), String(lat)] : null };
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

async function* nonEmptyLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<readonly Slice[]> {
  const decoder = new TextDecoder();
  let rest = "";
  let line = 0;
  for await (const chunk of bytes) {
    const texts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = texts.pop() ?? "";
    if (rest.length > MAX_LINE) throw new UnreadableFile(`line ${line + texts.length + 1} is longer than 16 MiB`);
    const slices = texts.map((text) => ({ text: text.trim(), line: ++line })).filter((slice) => slice.text !== "");
    if (slices.length > 0) yield slices;
  }
  const last = (rest + decoder.decode()).trim();
  if (last !== "") yield [{ text: last, line: line + 1 }];
}
