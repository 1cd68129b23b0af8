/**
 * Filters as one SQL expression that yields the matching ids, with what they are sorted by. Words and tags are lists of ids that
 * the postings give, joined by hashing; everything else is a condition on `doc`. The statistics that PostgreSQL lacks for lists
 * inside arrays are known here: a short list is looked up in `doc` id by id, a long one joined with all that fits the conditions.
 */
import { sql } from "@triptych/storage";
import type { Filters, Near, NormalQuery } from "../../domain/catalogue.ts";
import { chordBound, unitVector } from "../../domain/geo.ts";
import { DEPARTEMENT_NUMBERS, REGION_NUMBERS } from "../../domain/index/area-numbers.ts";
import type { Fragment, IndexTables } from "./index-tables.ts";
import type { WantedWord } from "./read-words.ts";

/** Up to so many ids it is cheaper to look each up in `doc` than to read all that fits the conditions. */
const FEW = 5000;
/** The box is coarse on purpose: PostGIS keeps its sides in single precision. */
const BOX_SLACK = 1e-6;

export interface TagGroup {
  /** Numbers of the known tags, any of which will do. */
  readonly numbers: readonly number[];
  readonly size: number;
}

export interface MatchInput {
  readonly tables: IndexTables;
  readonly filters: Filters;
  readonly words: readonly WantedWord[];
  readonly tagGroups: readonly TagGroup[];
  /** What the rows must carry besides the id. */
  readonly sort: NormalQuery["sort"];
}

/** A query with the columns `id` and `key`, and `chord` where there is a point; or null when nothing can match. */
export function matching({ tables, filters, words, tagGroups, sort }: MatchInput): Fragment | null {
  const impossible = words.some(({ size }) => size === 0) || tagGroups.some(({ numbers }) => numbers.length === 0);
  const conditions = conditionsOf(filters);
  if (impossible || conditions === null) return null;

  const lists = [
    ...words.map((word) => ({ size: word.size, rows: wordRows(tables, word) })),
    ...tagGroups.map((group) => ({ size: group.size, rows: tagRows(tables, group) })),
  ].sort((a, b) => a.size - b.size);
  const needsDoc = conditions.length > 0 || sort === "updated_at" || sort === "-updated_at" || filters.near !== null;
  const chord = filters.near === null ? sql`null::double precision` : chordOf(filters.near);
  const score = words.length === 0 ? sql`0` : sql`candidate.score`;
  const key = keyOf(sort, { score, chord });

  if (lists.length === 0)
    return sql`select doc.id, ${key} as key, ${chord} as chord from ${tables.doc} as doc ${where(conditions)}`;
  const candidate = joined(lists.map(({ rows }) => rows));
  if (!needsDoc) return sql`select candidate.id, ${key} as key, ${chord} as chord from (${candidate}) as candidate`;

  const isShort = (lists[0]?.size ?? 0) <= FEW;
  if (isShort) {
    return sql`with candidate as materialized (${candidate})
      select doc.id, ${key} as key, ${chord} as chord from candidate join ${tables.doc} as doc on doc.id = candidate.id
      ${where([sql`doc.id = any(array(select id from candidate))`, ...conditions])}`;
  }
  return sql`select doc.id, ${key} as key, ${chord} as chord from (${candidate}) as candidate
    join (select * from ${tables.doc} as doc ${where(conditions)} offset 0) as doc on doc.id = candidate.id`;
}

/** The order of rows: by key, then by id, which is the title order. */
export function orderOf(sort: NormalQuery["sort"]): Fragment {
  switch (sort) {
    case "relevance":
    case "-updated_at":
      return sql`key desc, id`;
    case "distance":
    case "updated_at":
      return sql`key, id`;
    case "title":
      return sql`id`;
  }
}

function keyOf(sort: NormalQuery["sort"], { score, chord }: { score: Fragment; chord: Fragment }): Fragment {
  switch (sort) {
    case "relevance":
      return score;
    case "distance":
      return chord;
    case "updated_at":
    case "-updated_at":
      return sql`doc.updated`;
    case "title":
      return sql`0`;
  }
}

/** One list of (id, impact) per constraint; an id must be in all of them. */
function joined(lists: readonly Fragment[]): Fragment {
  const [first, ...others] = lists.map((rows, at) => sql`(${rows}) as ${sql.id(`list_${at}`)}`);
  const score = sql.join(
    lists.map((_, at) => sql`${sql.id(`list_${at}`)}.impact`),
    sql` + `,
  );
  const joins = others.map((list, at) => sql`join ${list} on ${sql.id(`list_${at + 1}`)}.id = list_0.id`);
  return sql`select list_0.id, ${score} as score from ${first} ${sql.join(joins, sql` `)}`;
}

function wordRows({ posting }: IndexTables, { exact, longer }: WantedWord): Fragment {
  if (longer === null)
    return sql`select (packed >> 8)::integer as id, (packed & 255)::integer as impact from (${unpacked(posting, sql`word = ${exact}`)}) as one`;
  const terms = [...new Set([...longer, ...(exact === null ? [] : [exact])])];
  const impact = sql`(packed & 255)::integer`;
  return sql`select (packed >> 8)::integer as id, max(case when word = ${exact ?? -1} then ${impact} else (${impact} + 1) >> 1 end) as impact
    from (${unpacked(posting, sql`word = any(${terms}::integer[])`)}) as any_of group by 1`;
}

function unpacked(posting: Fragment, condition: Fragment): Fragment {
  return sql`select word, unnest(packed) as packed from ${posting} where ${condition}`;
}

function tagRows({ tag }: IndexTables, { numbers }: TagGroup): Fragment {
  const distinct = numbers.length > 1 ? sql`distinct` : sql``;
  return sql`select ${distinct} unnest(ids) as id, 0 as impact from ${tag} where number = any(${[...numbers]}::integer[])`;
}

/** What `doc` must satisfy; null when it never can. */
function conditionsOf({ types, departement, departements, regions, near }: Filters): Fragment[] | null {
  const conditions: Fragment[] = [];
  if (types.length > 0) conditions.push(sql`doc.type = any(${[...types]}::text[])`);
  for (const [column, numbers, codes] of [
    ["departement", DEPARTEMENT_NUMBERS, departement === null ? [] : [departement]],
    ["departement", DEPARTEMENT_NUMBERS, departements],
    ["region", REGION_NUMBERS, regions],
  ] as const) {
    if (codes.length === 0) continue;
    const wanted = codes.flatMap((code) => numbers.get(code) ?? []);
    if (wanted.length === 0) return null;
    conditions.push(sql`${sql.id("doc", column)} = any(${wanted}::smallint[])`);
  }
  if (near !== null) conditions.push(...nearConditions(near));
  return conditions;
}

/** The box of PostGIS in space, not on a map: the poles and the antimeridian are ordinary there. The chord decides. */
function nearConditions(near: Near): Fragment[] {
  const bound = chordBound(near.radiusKm);
  const { x, y, z } = unitVector(near.lat, near.lon);
  const half = Math.sqrt(bound) + BOX_SLACK;
  const corner = (sign: 1 | -1) =>
    sql`public.st_makepoint(${x + sign * half}::float8, ${y + sign * half}::float8, ${z + sign * half}::float8)`;
  return [
    sql`doc.point operator(public.&&&) public.st_3dmakebox(${corner(-1)}, ${corner(1)})::public.geometry`,
    sql`${chordOf(near)} <= ${bound}::float8`,
  ];
}

/** In the order of operations of `squaredChord`, on the same doubles: the same number to the last bit. */
function chordOf(near: Near): Fragment {
  const { x, y, z } = unitVector(near.lat, near.lon);
  const [dx, dy, dz] = [sql`(${x}::float8 - doc.x)`, sql`(${y}::float8 - doc.y)`, sql`(${z}::float8 - doc.z)`];
  return sql`((${dx} * ${dx} + ${dy} * ${dy}) + ${dz} * ${dz})`;
}

function where(conditions: readonly Fragment[]): Fragment {
  return conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, sql` and `)}`;
}
