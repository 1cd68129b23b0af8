/** Filters as SQL conditions on `entry`. */
import { sql } from "@triptych/storage";
import { typesOf, type Box, type Filters, type Near, type NormalQuery } from "../../domain/catalogue.ts";
import { chordBound, unitVector } from "../../domain/geo.ts";
import type { Fragment } from "./index-tables.ts";
import type { WordsQuery } from "./read-words.ts";

/** The box is wider than the circle, because PostGIS stores its sides in single precision. */
const BOX_SLACK = 1e-6;

export interface Conditions {
  readonly where: Fragment;
  /** No filter at all. */
  readonly isEverything: boolean;
  /** Only type, département and région: an index has the matches in title order. */
  readonly isOfColumns: boolean;
}

export function conditionsOf(filters: Filters, words: WordsQuery | null): Conditions {
  const { departement, departements, regions, tags, excludedTags, near, changedAfter } = filters;
  const columns: Fragment[] = [];
  const types = typesOf(filters);
  if (types !== null) columns.push(sql`type = any(${types}::text[])`);
  if (departement !== null) columns.push(sql`departement = ${departement}`);
  if (departements.length > 0) columns.push(sql`departement = any(${[...departements]}::text[])`);
  if (regions.length > 0) columns.push(sql`region = any(${[...regions]}::text[])`);
  const { communes, insee, sources, excludedSources, postalCodes, box } = filters;
  const others: Fragment[] = [];
  if (communes.length > 0) others.push(sql`commune = any(${[...communes]}::text[])`);
  if (insee.length > 0) others.push(sql`insee = any(${[...insee]}::text[])`);
  if (postalCodes.length > 0) others.push(postalCodeIn(postalCodes));
  if (sources.length > 0) others.push(sql`sources && ${[...sources]}::text[]`);
  if (excludedSources.length > 0) others.push(sql`not sources && ${[...excludedSources]}::text[]`);
  if (box !== null) others.push(insideBox(box));
  for (const anyOf of tags) others.push(sql`tags && ${[...anyOf]}::text[]`);
  if (excludedTags.length > 0) others.push(sql`not tags && ${[...excludedTags]}::text[]`);
  if (changedAfter !== null) others.push(sql`changed > ${changedAfter}`);
  if (near !== null) others.push(insideCircle(near));
  if (words !== null && words.match !== null) others.push(sql`lexemes @@ ${words.match}::tsquery`);
  const all = [...columns, ...others];
  return {
    where: all.length === 0 ? sql`true` : sql.join(all, sql` and `),
    isEverything: all.length === 0,
    isOfColumns: others.length === 0,
  };
}

/** Ranges of the index: digits sort before a colon. */
function postalCodeIn(prefixes: readonly string[]): Fragment {
  const ranges = prefixes.map((prefix) => sql`(postal_code >= ${prefix} and postal_code < ${`${prefix}:`})`);
  return sql`(${sql.join(ranges, sql` or `)})`;
}

/** The envelope is wider, for the index; the exact degrees decide. */
function insideBox({ west, south, east, north }: Box): Fragment {
  const within = (from: number, to: number) =>
    sql`(public.st_makepoint(lon, lat) operator(public.&&) public.st_makeenvelope(${from - BOX_SLACK}::float8,
      ${south - BOX_SLACK}::float8, ${to + BOX_SLACK}::float8, ${north + BOX_SLACK}::float8)
      and lon between ${from}::float8 and ${to}::float8)`;
  const longitudes = west <= east ? within(west, east) : sql`(${within(west, 180)} or ${within(-180, east)})`;
  return sql`lat between ${south}::float8 and ${north}::float8 and ${longitudes}`;
}

function insideCircle(near: Near): Fragment {
  const { x, y, z } = unitVector(near.lat, near.lon);
  const half = Math.sqrt(chordBound(near.radiusKm)) + BOX_SLACK;
  const corner = (sign: 1 | -1) =>
    sql`public.st_makepoint(${x + sign * half}::float8, ${y + sign * half}::float8, ${z + sign * half}::float8)`;
  return sql`point operator(public.&&&) public.st_3dmakebox(${corner(-1)}, ${corner(1)})::public.geometry
    and ${chordTo(near)} <= ${chordBound(near.radiusKm)}::float8`;
}

/** The operations of `squaredChord` in their order: equal to the last bit. */
export function chordTo(near: Near): Fragment {
  const { x, y, z } = unitVector(near.lat, near.lon);
  const [dx, dy, dz] = [sql`(${x}::float8 - x)`, sql`(${y}::float8 - y)`, sql`(${z}::float8 - z)`];
  return sql`((${dx} * ${dx} + ${dy} * ${dy}) + ${dz} * ${dz})`;
}

/** Ties are always in title order, which is the order of ids. */
export function sortKey({ sort, near }: Pick<NormalQuery, "sort" | "near">, words: WordsQuery | null): Fragment {
  switch (sort) {
    case "relevance":
      return words === null || words.rank === null ? sql`0` : sql`-ts_rank_cd(lexemes, ${words.rank}::tsquery)`;
    case "distance":
      return near === null ? sql`0` : chordTo(near);
    case "updated_at":
      return sql`updated`;
    case "-updated_at":
      return sql`-updated`;
    case "title":
      return sql`0`;
  }
}
