/**
 * Guesses a mapping from column names and checks it against the first rows. E-mail addresses, telephone numbers and
 * personal names are never guessed.
 */
import { DEPARTEMENTS, departementByCode, foldName, type Departement } from "../reference.ts";
import { readCoordinate, splitPair, type AxisOrder } from "./coordinates.ts";
import { COLUMN_HINTS, PERSONAL, type GuessedField } from "./column-name-hints.ts";
import type { Mapping, TextField } from "./mapping.ts";
import type { Row } from "./table.ts";

/** A mapping, or its missing required fields. `unfit`: a column named like an ID whose values are not unique. */
export type Guess =
  | { readonly mapping: Mapping }
  | { readonly missing: readonly ("id" | "title")[]; readonly unfit: string | undefined };

interface Column {
  readonly name: string;
  readonly folded: string;
  readonly values: readonly string[];
}

const PLAIN_TEXTS = [
  "summary",
  "description",
  "website",
  "opening_hours",
  "access",
  "licence",
  "created_at",
  "updated_at",
  "siret",
  "legal_form",
  "founded",
  "author",
  "published_at",
] as const satisfies readonly (TextField & GuessedField)[];
/** A column of "types" with more distinct values is free text. */
const MOST_KINDS = 200;
const MOST_EXTRA = 50;
const ID_HINTS = new Set(COLUMN_HINTS.id.split(" "));

export function guessMapping(names: readonly string[], sample: readonly Row[]): Guess {
  const columns = names.map((name, index) => ({
    name,
    folded: foldName(name),
    values: sample.map((row) => (row.cells[index] ?? "").trim()).filter((value) => value !== ""),
  }));
  const used = new Set<Column>();
  const find = (
    field: GuessedField,
    fits: (column: Column) => boolean = (column) => column.values.length > 0,
  ): Column | undefined => {
    for (const hint of COLUMN_HINTS[field].split(" ")) {
      const found = columns.find(
        (column) => column.folded === hint && !used.has(column) && !PERSONAL.test(column.folded) && fits(column),
      );
      if (found === undefined) continue;
      used.add(found);
      return found;
    }
    return undefined;
  };

  const title = guessTitle(find, sample.length);
  const where = guessGeography(find);
  const id = guessId(columns, find, sample.length);
  const missing = [
    ...(id === undefined ? (["id"] as const) : []),
    ...(title === undefined ? (["title"] as const) : []),
  ];
  if (id === undefined || title === undefined) {
    const unfit = id === undefined ? columns.find(({ folded }) => ID_HINTS.has(folded)) : undefined;
    return { missing, unfit: unfit?.name };
  }

  const texts = PLAIN_TEXTS.flatMap((field) => {
    const column = find(field);
    return column === undefined ? [] : [[field, column.name] as const];
  });
  const tags = guessTags(find);
  const extra = columns.filter((column) => !used.has(column) && isHarmless(column)).map((column) => column.name);
  return {
    mapping: {
      id,
      title,
      ...Object.fromEntries(texts),
      ...where,
      ...(tags.length > 0 && { tags }),
      ...(extra.length > 0 && { extra: extra.slice(0, MOST_EXTRA) }),
    },
  };
}

type Find = (field: GuessedField, fits?: (column: Column) => boolean) => Column | undefined;

function guessTitle(find: Find, rows: number): Mapping["title"] {
  const columns: Column[] = [];
  for (let column = find("title"); column !== undefined; column = find("title")) {
    columns.push(column);
    if (column.values.length === rows || columns.length === 3) break;
  }
  const names = columns.map((column) => column.name);
  return names.length > 1 ? { first: names } : names[0];
}

/**
 * A column named like an ID with unique values, else the first column with unique values, else the GeoJSON feature ID.
 */
function guessId(columns: readonly Column[], find: Find, rows: number): string | undefined {
  const isUnique = ({ values }: Column): boolean => values.length === rows && new Set(values).size === rows && rows > 0;
  const named = find("id", isUnique) ?? columns.find((column) => column.name === "@id" && isUnique(column));
  if (named !== undefined) return named.name;
  // A coordinate is unique too, but changes with every correction.
  return columns.find(
    (column) =>
      isUnique(column) &&
      !PERSONAL.test(column.folded) &&
      column.values.some((value) => readCoordinate(value) === null),
  )?.name;
}

function guessGeography(find: Find): Partial<Mapping> {
  const code = find("commune_code", mostly(isLikeCommuneCode));
  const name = find("commune_name");
  const departement = find("departement");
  const region = find("region");
  const rue = find("rue");
  const postal = find("code_postal");
  return {
    ...(code === undefined
      ? name !== undefined && { commune: { from: name.name, by: "name" as const } }
      : { commune: { from: code.name, by: "code" as const, ...(name !== undefined && { nom: name.name }) } }),
    ...(departement !== undefined && { departement: { from: departement.name, by: byOf(departement) } }),
    ...(region !== undefined && { region: { from: region.name, by: byOf(region) } }),
    ...((rue !== undefined || postal !== undefined) && {
      address: {
        ...(rue !== undefined && { rue: rue.name }),
        ...(postal !== undefined && { code_postal: postal.name }),
      },
    }),
    ...guessLocation(find, departement),
  };
}

function guessLocation(find: Find, departement: Column | undefined): Pick<Mapping, "location"> {
  const column = find(
    "location",
    mostly((value) => splitPair(value) !== null),
  );
  if (column !== undefined) return { location: { from: column.name, order: axisOrderOf(column, departement) } };
  const isNumber = mostly((value) => readCoordinate(value) !== null);
  const lat = find("lat", isNumber);
  const lon = find("lon", isNumber);
  return lat === undefined || lon === undefined ? {} : { location: { lat: lat.name, lon: lon.name } };
}

/** The order that puts more of the sample into a département's box; `lat,lon` by default. */
function axisOrderOf({ values }: Column, departement: Column | undefined): AxisOrder {
  const boxes = departement === undefined ? DEPARTEMENTS : boxesOf(departement);
  const inFrance = (lat: number, lon: number): boolean =>
    boxes.some(({ box: [west, south, east, north] }) => lon >= west && lon <= east && lat >= south && lat <= north);
  let score = 0;
  for (const value of values) {
    const pair = splitPair(value);
    const [first, second] = [readCoordinate(pair?.first ?? "")?.value, readCoordinate(pair?.second ?? "")?.value];
    if (first === undefined || second === undefined) continue;
    score += Number(inFrance(first, second)) - Number(inFrance(second, first));
  }
  return score >= 0 ? "lat,lon" : "lon,lat";
}

function boxesOf({ values }: Column): readonly Departement[] {
  const named = [...new Set(values)].flatMap((value) => departementByCode(value) ?? []);
  return named.length > 0 ? named : DEPARTEMENTS;
}

/** Up to three columns of kinds or themes, each with its detected separator. */
function guessTags(find: Find): (string | { from: string; split: string })[] {
  const tags: (string | { from: string; split: string })[] = [];
  const fits = ({ values }: Column): boolean =>
    values.length > 0 && new Set(values).size <= Math.max(MOST_KINDS, values.length / 2);
  for (let column = find("tags", fits); column !== undefined && tags.length < 3; column = find("tags", fits)) {
    const split = separatorIn(column.values);
    tags.push(split === null ? column.name : { from: column.name, split });
  }
  return tags;
}

function separatorIn(values: readonly string[]): string | null {
  for (const separator of ["|", ";", ","]) if (values.some((value) => value.includes(separator))) return separator;
  return null;
}

function byOf({ values }: Column): "code" | "name" {
  return values.every((value) => /^(?:\d{1,3}(?:\.0)?|2[ab])$/i.test(value)) ? "code" : "name";
}

function isLikeCommuneCode(value: string): boolean {
  return /^(?:\d{4,5}|2[ab]\d{3})(?:\.0)?$/i.test(value);
}

function mostly(test: (value: string) => boolean): (column: Column) => boolean {
  return ({ values }) => values.length > 0 && values.filter(test).length >= values.length * 0.8;
}

function isHarmless({ folded, values }: Column): boolean {
  const looksPersonal = values.some(
    (value) => /\S@\S+\.\S/.test(value) || /^(?:\+33|0)\s?[1-9](?:[ .-]?\d{2}){4}$/.test(value),
  );
  return values.length > 0 && !PERSONAL.test(folded) && !looksPersonal;
}
