/** The directory's endpoints, in the order of its documentation. */
import { Type } from "typebox";
import { defineEndpoint, type ServiceContract } from "../endpoint.ts";
import { AnyItem, Discovery, ItemsPage, Meta, Suggestions, Usage } from "./responses.ts";
import { ItemFeature, ItemFeatureCollection, ItemJsonLd } from "./formats.ts";
import { ALL_FIELD_NAMES, distanceField, ITEM_TYPES, SLUG_PATTERN } from "./item.ts";
import {
  CODES_MAX,
  FACETS,
  IDS_MAX,
  ITEM_FORMATS,
  LIMIT_DEFAULT,
  LIMIT_MAX,
  LIST_FORMATS,
  OFFSET_MAX,
  RADIUS_DEFAULT_KM,
  RADIUS_MAX_KM,
  SORTS,
  SUGGEST_LETTERS_MAX,
  SUGGEST_LIMIT_DEFAULT,
  SUGGEST_LIMIT_MAX,
  TYPE_FILTERS,
} from "./limits.ts";

const key = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 200,
    description: "API key, for clients that cannot set a header",
    "x-repeat": "same",
  }),
);
const ignoredKey = Type.Optional(Type.String({ description: "no key required: ignored", "x-ignored": true }));
const fieldsOf = (names: string[], description: string) =>
  Type.Optional(Type.Array(Type.Enum(names), { maxItems: 60, description }));
const FIELDS =
  "returns only these keys; `type` and `slug` are always included. Keys of the full set require the Pro plan";

const itemsQuery = Type.Object(
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
          "one commune by name; case, accents, hyphens and Saint/St are ignored. Matches all communes of that name; add `departement` for one of them. A name without items is 400",
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
          "full text: all words must occur; accents, case and inflection are ignored; the last word may be incomplete",
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
          "these items in this order, as `type/slug`; repetitions count once, unknown ones are in `missing`. Only with `limit`, `offset`, `fields` and `format`; default limit: all of them",
        examples: [["place/rennes", "article/bretagne"]],
      }),
    ),
    limit: Type.Optional(
      Type.Union([Type.Integer({ minimum: 0, maximum: LIMIT_MAX }), Type.Literal("all")], {
        description: `items on the page, default ${LIMIT_DEFAULT}; 0 for totals and facets only; \`all\` streams every match as csv, ndjson or geojson (Pro)`,
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
          "`relevance` requires `q`, `distance` requires `near`; default: the first of distance, relevance, title that applies",
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
      [...ALL_FIELD_NAMES, ...Object.keys(distanceField)],
      `${FIELDS}. \`distance_km\` requires \`near\`, which always adds it`,
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
          "true requires all words of `q`; otherwise words are dropped or widened when all together match nothing, see `query.relaxed`",
      }),
    ),
    synonyms: Type.Optional(
      Type.Boolean({ description: "false searches only the words of `q`, without their synonyms" }),
    ),
    key,
  },
  { additionalProperties: false },
);

const API_KEY_ERRORS = [
  "ambiguous_key",
  "key_required",
  "key_invalid",
  "key_revoked",
  "key_expired",
  "rate_limited",
  "overloaded",
  "not_ready",
] as const;

/** Headers of every response to a valid key, errors included. */
const metered = {
  "RateLimit-Policy": "the policies per minute and per day; a key without a daily cap has only the first",
  RateLimit: "remaining requests of each policy (`r`), and the seconds until more are available (`t`)",
  "X-Quota-Limit": "items per UTC day; this and the following headers are absent for a key without a daily cap",
  "X-Quota-Remaining": "items left today",
  "X-Quota-Reset": "seconds until midnight UTC",
  "X-Quota-Unit": "always `items`",
};
const cacheable = {
  ETag: "validator of this response for this plan: send it as If-None-Match",
  "Last-Modified": "publication time of the version",
  "X-Data-Version": "published version of the data; send it as `since` to receive later changes",
};

export const getDiscovery = defineEndpoint({
  id: "getDiscovery",
  method: "GET",
  path: "/api",
  summary: "Discovery documentation of the API",
  description: "Free of charge and without a key. Lists plans, endpoints, formats and limits for programs.",
  auth: null,
  query: Type.Object({ key: ignoredKey }, { additionalProperties: false }),
  answers: {
    200: {
      description: "overview of the API with links and limits; a browser gets the docs page",
      schema: Discovery,
      media: ["application/json", "text/html"],
    },
  },
  problems: ["validation_failed", "uri_too_long"],
  examples: ["/api"],
});

export const getMeta = defineEndpoint({
  id: "getMeta",
  method: "GET",
  path: "/api/meta",
  summary: "Statistics and closed lists",
  description: "Costs one request and no items. Lists include entries without items.",
  auth: "key",
  query: Type.Object({ key }, { additionalProperties: false }),
  answers: {
    200: { description: "statistics of the published version", schema: Meta, headers: { ...cacheable, ...metered } },
    304: { description: "the version matches If-None-Match", headers: { ...cacheable, ...metered } },
  },
  problems: ["validation_failed", ...API_KEY_ERRORS, "uri_too_long"],
  examples: ["/api/meta"],
});

export const getItems = defineEndpoint({
  id: "getItems",
  method: "GET",
  path: "/api/items",
  summary: "Filtered list of items",
  description:
    "Different parameters combine with AND, values of a comma list with OR. In `type`, `tag` and `source`, `-` before a value excludes it. `total` is exact at any depth. Costs one request and the returned items.",
  auth: "key",
  query: itemsQuery,
  answers: {
    200: {
      description: "a page of the list",
      schema: ItemsPage,
      media: ["application/json", "application/geo+json", "text/csv", "application/x-ndjson"],
      schemas: {
        "application/geo+json": ItemFeatureCollection,
        "text/csv": Type.String({ description: "RFC 4180 with a header line; objects are flattened" }),
        "application/x-ndjson": Type.String({ description: "one Item per line; with `since`, tombstones first" }),
      },
      headers: {
        Link: "rel=self, next, prev",
        ...cacheable,
        ...metered,
        "X-Total-Count": "csv and ndjson: the exact total",
        "X-Offset": "csv and ndjson: items to skip",
        "X-Missing-Count": "csv and ndjson with `ids`: how many of them do not exist",
        "Content-Disposition": 'csv, ndjson and geojson: attachment; filename="items.<format>"',
      },
    },
    304: {
      description: "the page matches If-None-Match; costs no items",
      headers: { ...cacheable, ...metered },
    },
  },
  problems: [
    "validation_failed",
    ...API_KEY_ERRORS,
    "plan_required",
    "version_gone",
    "not_acceptable",
    "quota_exceeded",
    "uri_too_long",
  ],
  examples: [
    "/api/items?type=place&departement=Finist%C3%A8re",
    "/api/items?region=bretagne&q=prefecture&facets=departement",
    "/api/items?near=48.117,-1.678&radius=80",
    "/api/items?commune=Saint-Denis&departement=La%20R%C3%A9union",
    "/api/items?code_postal=35,22000&facets=commune,source",
    "/api/items?bbox=-2.2,47.9,-1.4,48.3",
    "/api/items?ids=place/rennes,article/bretagne",
  ],
});

export const suggest = defineEndpoint({
  id: "suggest",
  method: "GET",
  path: "/api/suggest",
  summary: "Completions of titles, communes and tags",
  description:
    "For search boxes: the beginning of a text, without regard to case, accents, hyphens and `St` for `Saint`. Texts that begin with `q` come first, then texts with words that begin with its words, then the same with a typo corrected; in each group those with the most items. Costs one request and no items.",
  auth: "key",
  query: Type.Object(
    {
      q: Type.String({ minLength: 1, maxLength: SUGGEST_LETTERS_MAX, description: "the beginning of a text" }),
      type: Type.Optional(
        Type.Array(Type.Enum([...ITEM_TYPES]), {
          maxItems: 20,
          description: "only titles, communes and tags of items of these types; counts are of these types",
        }),
      ),
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: SUGGEST_LIMIT_MAX,
          description: `completions, default ${SUGGEST_LIMIT_DEFAULT}`,
        }),
      ),
      key,
    },
    { additionalProperties: false },
  ),
  answers: {
    200: { description: "completions, best first", schema: Suggestions, headers: { ...cacheable, ...metered } },
    304: { description: "the list matches If-None-Match", headers: { ...cacheable, ...metered } },
  },
  problems: ["validation_failed", ...API_KEY_ERRORS, "uri_too_long"],
  examples: ["/api/suggest?q=renn", "/api/suggest?q=st+bri&type=place"],
});

export const getItem = defineEndpoint({
  id: "getItem",
  method: "GET",
  path: "/api/item/{type}/{slug}",
  summary: "One item",
  description:
    "The keys depend on the plan of the API key. `fields` returns fewer keys. Costs one request and one item.",
  auth: "key",
  params: Type.Object(
    { type: Type.Enum([...ITEM_TYPES]), slug: Type.String({ description: `the item's slug, ${SLUG_PATTERN}` }) },
    { additionalProperties: false },
  ),
  query: Type.Object(
    {
      fields: fieldsOf(ALL_FIELD_NAMES, FIELDS),
      format: Type.Optional(Type.Enum([...ITEM_FORMATS], { description: "overrides `Accept`" })),
      key,
    },
    { additionalProperties: false },
  ),
  answers: {
    200: {
      description: "the item",
      schema: AnyItem,
      media: ["application/json", "application/geo+json", "application/ld+json"],
      schemas: { "application/geo+json": ItemFeature, "application/ld+json": ItemJsonLd },
      headers: { ...cacheable, ...metered },
    },
    304: {
      description: "the item matches If-None-Match; costs no items",
      headers: { ...cacheable, ...metered },
    },
  },
  problems: [
    "validation_failed",
    ...API_KEY_ERRORS,
    "plan_required",
    "item_not_found",
    "not_acceptable",
    "quota_exceeded",
    "uri_too_long",
  ],
  examples: ["/api/item/place/rennes"],
});

export const getUsage = defineEndpoint({
  id: "getUsage",
  method: "GET",
  path: "/api/usage",
  summary: "Usage of this key",
  description: "Costs one request and no items.",
  auth: "key",
  query: Type.Object(
    {
      from: Type.Optional(
        Type.String({ format: "date", description: "first day, default the first of this month (UTC)" }),
      ),
      to: Type.Optional(Type.String({ format: "date", description: "last day, default today; at most 92 days" })),
      key,
    },
    { additionalProperties: false },
  ),
  answers: { 200: { description: "usage of the requesting key", schema: Usage, headers: metered } },
  problems: ["validation_failed", ...API_KEY_ERRORS, "uri_too_long"],
  examples: ["/api/usage"],
});

export const directoryContract: ServiceContract = {
  name: "directory",
  title: "Triptych directory",
  description:
    "Read-only JSON API for actors, places and articles of the French départements and régions, with filters, French full-text search and radius search. Free to explore (Discovery), billed by volume (Pro).",
  version: "1",
  endpoints: [getDiscovery, getMeta, getItems, suggest, getItem, getUsage],
  tags: [
    {
      name: "Items",
      description: "Actors, places and articles: search, filters, formats.",
      paths: ["/api/items", "/api/suggest", "/api/item"],
    },
    {
      name: "Directory",
      description: "The API itself: overview, statistics, closed lists.",
      paths: ["/api"],
    },
    {
      name: "Usage",
      description: "Requests and items of an API key.",
      paths: ["/api/usage"],
    },
  ],
  credentials: {
    key: [
      { in: "bearer", description: "Authorization: Bearer <API_KEY>" },
      { in: "header", name: "X-API-Key", description: "X-API-Key: <API_KEY>" },
      { in: "query", name: "key", description: "?key=<API_KEY>, for clients that cannot set a header" },
    ],
  },
};
