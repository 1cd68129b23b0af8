/** The directory's endpoints, in the order of its documentation. Law: spec/directory.md. */
import { Type } from "typebox";
import { defineEndpoint, type ServiceContract } from "../endpoint.ts";
import { AnyItem, Discovery, ItemsPage, Meta, Usage } from "./answers.ts";
import { ItemFeature, ItemFeatureCollection, ItemJsonLd } from "./formats.ts";
import { ALL_FIELD_NAMES, distanceField, ITEM_TYPES, SLUG_PATTERN } from "./item.ts";
import {
  FACETS,
  ITEM_FORMATS,
  LIMIT_DEFAULT,
  LIMIT_MAX,
  LIST_FORMATS,
  OFFSET_MAX,
  RADIUS_DEFAULT_KM,
  RADIUS_MAX_KM,
  SORTS,
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
const ignoredKey = Type.Optional(Type.String({ description: "no key is needed here: ignored", "x-ignored": true }));
const fieldsOf = (names: string[], description: string) =>
  Type.Optional(Type.Array(Type.Enum(names), { maxItems: 60, description }));
const FIELDS =
  "narrows each item to these keys; `type` and `slug` always stay. A key of the full set needs the Pro plan";

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
        description: "exactly one département by name; case, accents and separators do not matter",
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
    tag: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 120 }), {
        maxItems: 20,
        description:
          "theme: `tag=a,b` is any of them, `tag=a&tag=b` all of them, `tag=-a` excludes the items with it. An unknown tag matches nothing",
        "x-repeat": "and",
      }),
    ),
    q: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          "free text: all words must occur; accents, case and inflection do not matter; the last word may be unfinished",
      }),
    ),
    near: Type.Optional(Type.String({ minLength: 1, maxLength: 60, description: "lat,lon in decimal degrees (Pro)" })),
    radius: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: RADIUS_MAX_KM,
        description: `kilometres around \`near\`, default ${RADIUS_DEFAULT_KM} (Pro)`,
      }),
    ),
    limit: Type.Optional(
      Type.Union([Type.Integer({ minimum: 0, maximum: LIMIT_MAX }), Type.Literal("all")], {
        description: `items on the page, default ${LIMIT_DEFAULT}; 0 for totals and facets only; \`all\` streams every match as csv, ndjson or geojson (Pro)`,
      }),
    ),
    offset: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: OFFSET_MAX,
        description: "items skipped, default 0; there is no depth limit",
      }),
    ),
    sort: Type.Optional(
      Type.Enum([...SORTS], {
        description:
          "`relevance` needs `q`, `distance` needs `near`; default is the first of distance, relevance, title that applies",
      }),
    ),
    facets: Type.Optional(
      Type.Array(Type.Enum([...FACETS]), {
        maxItems: 20,
        description: "exact counts per value under all active filters; other formats than JSON have no place for them",
      }),
    ),
    format: Type.Optional(Type.Enum([...LIST_FORMATS], { description: "wins over `Accept`" })),
    fields: fieldsOf(
      [...ALL_FIELD_NAMES, ...Object.keys(distanceField)],
      `${FIELDS}. \`distance_km\` needs \`near\`, and then it always stays too`,
    ),
    correct: Type.Optional(Type.Boolean({ description: "false switches the correction of typing errors in `q` off" })),
    key,
  },
  { additionalProperties: false },
);

const keyed = [
  "ambiguous_key",
  "key_required",
  "key_invalid",
  "key_revoked",
  "key_expired",
  "rate_limited",
  "overloaded",
  "not_ready",
] as const;

/** What every answer to a valid key says, refusals too. */
const metered = {
  "RateLimit-Policy": "the minute's and the day's policy; a key without cap has only the first",
  RateLimit: "what is left of each (`r`), and the seconds until there is more (`t`)",
  "X-Quota-Limit": "items a UTC day; absent, as the following, for a key without cap",
  "X-Quota-Remaining": "items left of the day",
  "X-Quota-Reset": "seconds until midnight UTC",
  "X-Quota-Unit": "always `items`",
};
const cacheable = {
  ETag: "of this answer for this plan: send it as If-None-Match",
  "Last-Modified": "publication of the version",
};

export const getDiscovery = defineEndpoint({
  id: "getDiscovery",
  method: "GET",
  path: "/api",
  summary: "Discovery documentation of the API",
  auth: null,
  query: Type.Object({ key: ignoredKey }, { additionalProperties: false }),
  answers: {
    200: {
      description: "what this API is, where everything stands, and what it allows; a browser gets the docs page",
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
  summary: "Statistics and the closed lists",
  description: "Costs one request and no item. Lists include entries without any item.",
  auth: "key",
  query: Type.Object({ key }, { additionalProperties: false }),
  answers: {
    200: { description: "statistics of the published version", schema: Meta, headers: { ...cacheable, ...metered } },
    304: { description: "the version is the one named by If-None-Match", headers: { ...cacheable, ...metered } },
  },
  problems: ["validation_failed", ...keyed, "uri_too_long"],
  examples: ["/api/meta"],
});

export const getItems = defineEndpoint({
  id: "getItems",
  method: "GET",
  path: "/api/items",
  summary: "Filtered list of items",
  description:
    "AND between parameters, OR inside a comma list. In `type` and `tag`, `-` before a value excludes it. `total` is exact at any depth. Costs one request and the items returned.",
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
        "application/x-ndjson": Type.String({ description: "one Item a line" }),
      },
      headers: {
        Link: "rel=self, next, prev",
        ...cacheable,
        ...metered,
        "X-Total-Count": "csv and ndjson: the exact total",
        "X-Offset": "csv and ndjson: items skipped",
        "Content-Disposition": 'csv, ndjson and geojson: attachment; filename="items.<format>"',
      },
    },
    304: {
      description: "the page is the one named by If-None-Match; costs no item",
      headers: { ...cacheable, ...metered },
    },
  },
  problems: ["validation_failed", ...keyed, "plan_required", "not_acceptable", "quota_exceeded", "uri_too_long"],
  examples: [
    "/api/items?type=place&departement=Finist%C3%A8re",
    "/api/items?region=bretagne&q=prefecture&facets=departement",
    "/api/items?near=48.117,-1.678&radius=80",
  ],
});

export const getItem = defineEndpoint({
  id: "getItem",
  method: "GET",
  path: "/api/item/{type}/{slug}",
  summary: "One item",
  auth: "key",
  params: Type.Object(
    { type: Type.Enum([...ITEM_TYPES]), slug: Type.String({ description: `the item's slug, ${SLUG_PATTERN}` }) },
    { additionalProperties: false },
  ),
  query: Type.Object(
    {
      fields: fieldsOf(ALL_FIELD_NAMES, FIELDS),
      format: Type.Optional(Type.Enum([...ITEM_FORMATS], { description: "wins over `Accept`" })),
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
      description: "the item is the one named by If-None-Match; costs no item",
      headers: { ...cacheable, ...metered },
    },
  },
  problems: [
    "validation_failed",
    ...keyed,
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
  summary: "What this key has used",
  description: "Costs one request and no item.",
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
  answers: { 200: { description: "consumption of the key that asks", schema: Usage, headers: metered } },
  problems: ["validation_failed", ...keyed, "uri_too_long"],
  examples: ["/api/usage"],
});

export const directoryContract: ServiceContract = {
  name: "directory",
  title: "Triptych directory",
  description:
    "Read-only JSON API over the actors, places and articles of the French départements and régions: filters, French free text, search around a point. Free to explore (Discovery), billed by volume (Pro).",
  version: "1",
  endpoints: [getDiscovery, getMeta, getItems, getItem, getUsage],
  credentials: {
    key: [
      { in: "bearer", description: "Authorization: Bearer <API_KEY>" },
      { in: "header", name: "X-API-Key", description: "X-API-Key: <API_KEY>" },
      { in: "query", name: "key", description: "?key=<API_KEY>, for clients that cannot set a header" },
    ],
  },
};
