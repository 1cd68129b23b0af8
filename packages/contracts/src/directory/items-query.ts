/** The query parameters of `GET /api/items`, and those that other endpoints share with it. */
import { Type } from "typebox";
import { ALL_FIELD_NAMES, distanceField, highlightsField, ITEM_TYPES } from "./item.ts";
import {
  CODES_MAX,
  FACETS,
  IDS_MAX,
  LIMIT_DEFAULT,
  LIMIT_MAX,
  LIST_FORMATS,
  OFFSET_MAX,
  RADIUS_DEFAULT_KM,
  RADIUS_MAX_KM,
  SORTS,
  TYPE_FILTERS,
} from "./limits.ts";

export const key = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 200,
    description: "API key, for clients that cannot set a header",
    "x-repeat": "same",
  }),
);
export const ignoredKey = Type.Optional(Type.String({ description: "no key required: ignored", "x-ignored": true }));
export const fieldsOf = (names: string[], description: string) =>
  Type.Optional(Type.Array(Type.Enum(names), { maxItems: 60, description }));
export const FIELDS =
  "returns only these keys; `type` and `slug` are always included. Keys of the full set require the Pro plan";

export const itemsQuery = Type.Object(
  {
    type: Type.Optional(
      Type.Array(Type.Enum([...TYPE_FILTERS]), {
        maxItems: 20,
        description: "any of these types; `type=-article` excludes a type",
      }),
    ),
    departement: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: "one département by name; case, accents and separators are ignored",
      }),
    ),
    departements: Type.Optional(
      Type.Array(Type.String({ maxLength: 100 }), {
        maxItems: 120,
        description: "any of these départements, by slug or INSEE code",
      }),
    ),
    region: Type.Optional(
      Type.Array(Type.String({ maxLength: 100 }), {
        maxItems: 40,
        description: "any of these régions, by slug, name or code",
      }),
    ),
    commune: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description:
          "one commune by name; case, accents and hyphens are ignored, and St means Saint. Matches all communes of that name; add `departement` to select one. A name without items is 400",
        examples: ["Saint-Étienne"],
      }),
    ),
    insee: Type.Optional(
      Type.Array(Type.String({ pattern: "^([0-9]{2}|2[ABab])[0-9]{3}$" }), {
        maxItems: CODES_MAX,
        description: "any of these communes, by INSEE code, e.g. 35238 or 2A004; not a postal code",
        examples: [["35238", "2A004"]],
        "x-aliases": ["code_insee", "code_commune", "citycode"],
      }),
    ),
    code_postal: Type.Optional(
      Type.Array(Type.String({ pattern: "^[0-9]{2,5}$" }), {
        maxItems: CODES_MAX,
        description: "any of these postal codes: five digits, or the first two to four",
        examples: [["35000", "22"]],
        "x-aliases": ["cp", "postcode", "postal_code", "zip"],
      }),
    ),
    source: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
        maxItems: 20,
        description:
          "any of these sources, by name or slug; the facet `source` lists them. `source=-a` excludes a source. An unknown source is 400",
        examples: [["triptych-sample"]],
      }),
    ),
    tag: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 120 }), {
        maxItems: 20,
        description:
          "theme: `tag=a,b` matches any of them, `tag=a&tag=b` all of them, `tag=-a` excludes items with it. An unknown tag matches nothing",
        "x-repeat": "and",
      }),
    ),
    q: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          "full text: all words must occur, see `strict`; accents, case and inflection are ignored; the last word may be incomplete. Quotes require a phrase of the title or commune; `-` before a word or a quoted phrase excludes it",
      }),
    ),
    near: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 60,
        description: "lat,lon in decimal degrees (Pro)",
        examples: ["48.117,-1.678"],
      }),
    ),
    radius: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: RADIUS_MAX_KM,
        description: `radius around \`near\` in kilometers, default ${RADIUS_DEFAULT_KM} (Pro)`,
      }),
    ),
    bbox: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description:
          "box west,south,east,north in decimal degrees, borders included (Pro). West above east crosses the antimeridian. Items without a location never match",
        examples: ["-2.2,47.9,-1.4,48.3"],
      }),
    ),
    ids: Type.Optional(
      Type.Array(Type.String({ maxLength: 130, pattern: `^(${ITEM_TYPES.join("|")})/[a-z0-9]+(-[a-z0-9]+)*$` }), {
        maxItems: IDS_MAX,
        description:
          "these items in this order, as `type/slug`; repetitions count once, and unknown IDs are returned in `missing`. Can be combined with `limit`, `offset`, `fields` and `format` only; the default limit is all of them",
        examples: [["place/rennes", "article/bretagne"]],
      }),
    ),
    limit: Type.Optional(
      Type.Union([Type.Integer({ minimum: 0, maximum: LIMIT_MAX }), Type.Literal("all")], {
        description: `items per page, default ${LIMIT_DEFAULT}; 0 for totals and facets only; \`all\` streams every match as csv, ndjson or geojson (Pro)`,
        "x-aliases": ["per_page", "page_size", "rows", "size"],
      }),
    ),
    offset: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: OFFSET_MAX,
        description: "items to skip, default 0; no depth limit",
        "x-aliases": ["page", "skip", "start"],
      }),
    ),
    sort: Type.Optional(
      Type.Enum([...SORTS], {
        description:
          "`relevance` requires `q`, `distance` requires `near`. Default: distance with `near`, else relevance with `q`, else title",
      }),
    ),
    facets: Type.Optional(
      Type.Array(Type.Enum([...FACETS]), {
        maxItems: 20,
        description: "exact counts per value under all active filters; JSON only",
      }),
    ),
    format: Type.Optional(Type.Enum([...LIST_FORMATS], { description: "overrides `Accept`" })),
    fields: fieldsOf(
      [...ALL_FIELD_NAMES, ...Object.keys(distanceField), ...Object.keys(highlightsField)],
      `${FIELDS}. \`distance_km\` requires \`near\`, \`highlights\` requires \`highlight=true\`: these always add them`,
    ),
    highlight: Type.Optional(
      Type.Boolean({
        description:
          "true adds `highlights` to each item: `title` and `summary` as HTML with `<mark>` around the words that `q` matched. Not with csv",
      }),
    ),
    since: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 40,
        description:
          "a `version` or an RFC 3339 time: only items created or changed since. With `format=ndjson&limit=all` also tombstones `{type, slug, deleted_at}`, before the items",
        examples: ["1-4aba2542f746", "2026-11-20T08:00:00Z"],
      }),
    ),
    correct: Type.Optional(Type.Boolean({ description: "false disables typo correction in `q`" })),
    strict: Type.Optional(
      Type.Boolean({
        description:
          "true requires all words of `q`. Otherwise, words are dropped or widened if all of them together match nothing, or only a few items outside the town in `q`; see `query.relaxed`",
      }),
    ),
    synonyms: Type.Optional(
      Type.Boolean({ description: "false searches only the words of `q`, without their synonyms" }),
    ),
    key,
  },
  { additionalProperties: false },
);
