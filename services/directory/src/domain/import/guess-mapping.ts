/**
 * Guesses a mapping from column names and checks it against the first rows. Email addresses, telephone numbers and
 * personal names are never guessed.
 */
import { COLUMN_EXCLUSIONS, COLUMN_HINTS, PERSONAL, TITLE_OF, type GuessedField } from "./column-name-hints.ts";
import {
  createColumns,
  distinctShare,
  isText,
  mostly,
  shareOf,
  type Column,
  type Columns,
  type Fits,
} from "./guess-columns.ts";
import { guessGeography, type GuessedGeography } from "./guess-geography.ts";
import { guessId, unfitIdColumn } from "./guess-id.ts";
import type { Mapping, TextField } from "./mapping.ts";
import { FEATURE_POINT } from "./read-json.ts";
import type { Row } from "./table.ts";

/**
 * A mapping, or what was recognized and the required fields that were not. `unfit`: a column named like an ID whose
 * values are not unique.
 */
export type Guess =
  | { readonly mapping: Mapping }
  | {
      readonly partial: Partial<Mapping>;
      readonly missing: readonly ("id" | "title")[];
      readonly unfit: string | undefined;
    };

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
const KINDS_MAX = 200;
const EXTRA_COLUMNS_MAX = 50;
const TAG_COLUMNS_MAX = 3;
const TITLE_LENGTH_MAX = 150;
const TITLES_MAX = 3;
const TITLE_NAMES = new Set(COLUMN_HINTS.title.split(" "));
const CONTENT_MAX = 40;

interface GuessedTitle {
  readonly from: NonNullable<Mapping["title"]>;
  readonly columns: readonly Column[];
}

export function guessMapping(names: readonly string[], sample: readonly Row[]): Guess {
  const columns = createColumns(names, sample);
  const named = namedTitle(columns);
  const geography = guessGeography(columns);
  const id = guessId(columns, []);
  const texts = PLAIN_TEXTS.flatMap((field) => {
    const column =
      columns.find(field, TEXT_FITS[field]) ?? (field === "summary" ? organization(columns, named) : undefined);
    return column === undefined ? [] : [[field, column.name] as const];
  });
  const kinds = guessTags(columns);
  const title = named ?? anyTitle(columns) ?? composedTitle(kinds[0]?.column, geography) ?? numberedTitle(columns, id);
  const tags = kinds.map(({ from }) => from);
  const rest = columns.all.filter(
    (column) => !columns.isUsed(column) && isHarmless(column) && !isSurname(column, columns),
  );
  const partial: Partial<Mapping> = {
    ...(title !== undefined && { title: title.from }),
    ...Object.fromEntries(texts),
    ...geography.mapping,
    ...(tags.length > 0 && { tags }),
    ...(rest.length > 0 && { extra: rest.slice(0, EXTRA_COLUMNS_MAX).map(({ name }) => name) }),
  };
  const point = columns.all.filter(({ name }) => name === FEATURE_POINT);
  const content = new Set([...(title?.columns ?? []), ...geography.columns, ...point, ...rest]);
  const found = id ?? guessId(columns, [...content].slice(0, CONTENT_MAX));
  if (found !== undefined && title !== undefined) return { mapping: { id: found, ...partial } };
  return {
    partial: { ...(found !== undefined && { id: found }), ...partial },
    missing: [...(found === undefined ? (["id"] as const) : []), ...(title === undefined ? (["title"] as const) : [])],
    unfit: found === undefined ? unfitIdColumn(columns) : undefined,
  };
}

/** Up to three columns named like a title, until one has a value in every row. */
function namedTitle(columns: Columns): GuessedTitle | undefined {
  const isFit: Fits = ({ values }) =>
    values.length >= columns.rows * 0.02 &&
    values.every((value) => value.length < 1000) &&
    averageLength(values) <= TITLE_LENGTH_MAX &&
    (values.length < 20 || distinctShare(values) >= 0.1) &&
    shareOf(values, isText) >= 0.8;
  const fits: Fits = (column) => (TITLE_NAMES.has(column.folded) ? column.values.length > 0 : isFit(column));
  const found: Column[] = [];
  for (let column = columns.find("title", fits); column !== undefined; column = columns.find("title", fits)) {
    found.push(column);
    if (column.values.length === columns.rows || found.length === TITLES_MAX) break;
  }
  const [first] = found;
  if (first === undefined) return undefined;
  const names = found.map(({ name }) => name);
  return { from: names.length > 1 ? { first: names } : first.name, columns: found };
}

/** For example the name of a museum beside the title of its exhibition. It is shown below the title, and searched. */
function organization(columns: Columns, title: GuessedTitle | undefined): Column | undefined {
  if (title === undefined || !TITLE_OF.test(title.columns[0].words)) return undefined;
  const isName: Fits = ({ words, values }) => words.startsWith("nom_d") && shareOf(values, isText) >= 0.8;
  // In rows without a title, it is the title.
  return title.columns.find(isName) ?? columns.find("title", isName);
}

/** The column of short texts with the most distinct values. */
function anyTitle(columns: Columns): GuessedTitle | undefined {
  const column = columns.best(({ values, words }) => {
    const isUsable =
      values.length >= columns.rows * 0.9 &&
      COLUMN_EXCLUSIONS.title?.test(words) !== true &&
      averageLength(values) <= 80 &&
      shareOf(values, (value) => isText(value) && !/^https?:|^www\.|^[{[]/i.test(value)) >= 0.8;
    return isUsable && distinctShare(values) > 0.5 ? distinctShare(values) : 0;
  });
  return column === undefined ? undefined : { from: column.name, columns: [column] };
}

/** Kind and address (`Toilettes 5 rue de la Paix`), for files of things without a name. */
function composedTitle(kind: Column | undefined, { rue, commune }: GuessedGeography): GuessedTitle | undefined {
  const address = rue ?? commune;
  const parts = [kind, address].filter((column) => column !== undefined);
  if (parts.length === 0 || (address === undefined && distinctShare(kind?.values ?? []) < 0.3)) return undefined;
  return { from: { join: parts.map(({ name }) => name) }, columns: parts };
}

/** A short text of every row, with the ID (`Parking 12`). */
function numberedTitle(columns: Columns, id: Mapping["id"] | undefined): GuessedTitle | undefined {
  if (typeof id !== "string") return undefined;
  const text = columns.best(({ values }) => {
    const isShort = values.length === columns.rows && averageLength(values) <= 40;
    return isShort ? shareOf(values, (value) => isText(value) && !/[/@.]/.test(value)) - 0.8 : 0;
  });
  return text === undefined ? undefined : { from: { join: [text.name, id] }, columns: [text] };
}

interface Kind {
  readonly column: Column;
  readonly from: string | { from: string; split: string };
}

/** Up to three columns of kinds or themes, each with its detected separator. */
function guessTags(columns: Columns): Kind[] {
  const kinds: Kind[] = [];
  const fits: Fits = ({ values }) =>
    values.length > 0 &&
    new Set(values).size <= Math.max(KINDS_MAX, values.length / 2) &&
    averageLength(values) <= 80 &&
    shareOf(values, (value) => isText(value) && !/^(?:oui|non|true|false)$/i.test(value)) >= 0.8;
  for (let column = columns.find("tags", fits); column !== undefined; column = columns.find("tags", fits)) {
    const split = separatorIn(column.values);
    kinds.push({ column, from: split === null ? column.name : { from: column.name, split } });
    if (kinds.length === TAG_COLUMNS_MAX) break;
  }
  return kinds;
}

function separatorIn(values: readonly string[]): string | null {
  for (const separator of ["|", ";", ","]) if (values.some((value) => value.includes(separator))) return separator;
  return null;
}

const TEXT_FITS: Readonly<Partial<Record<GuessedField, Fits>>> = {
  website: mostly((value) => /^https?:\/\/|^www\.|^[\w.-]+\.[a-z]{2,}(?:[/?]|$)/i.test(value)),
  description: mostly(isText),
};

function averageLength(values: readonly string[]): number {
  return values.reduce((sum, value) => sum + value.length, 0) / Math.max(1, values.length);
}

/** `nom_x` beside `prenom_x` names a person. */
function isSurname({ words }: Column, { all }: Columns): boolean {
  return all.some((other) => other.words.includes("prenom") && other.words.replace("prenom", "nom") === words);
}

function isHarmless({ name, words, values }: Column): boolean {
  if (name === FEATURE_POINT) return false;
  const looksPersonal = values.some(
    (value) => /\S@\S+\.\S/.test(value) || /^(?:\+33|0)\s?[1-9](?:[ .-]?\d{2}){4}$/.test(value),
  );
  return values.length > 0 && !PERSONAL.test(words) && !looksPersonal;
}
