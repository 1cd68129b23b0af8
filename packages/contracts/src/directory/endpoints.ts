/** The directory's endpoints, in the order of its documentation. */
import { Type } from "typebox";
import { defineEndpoint } from "../endpoint.ts";
import { AnyItem, Discovery, ItemsPage, Meta, Suggestions, Usage } from "./responses.ts";
import { ItemFeature, ItemFeatureCollection, ItemJsonLd } from "./formats.ts";
import { ALL_FIELD_NAMES, ITEM_TYPES, SLUG_PATTERN } from "./item.ts";
import { FIELDS, fieldsOf, ignoredKey, itemsQuery, key } from "./items-query.ts";
import { ITEM_FORMATS, SUGGEST_LETTERS_MAX, SUGGEST_LIMIT_DEFAULT, SUGGEST_LIMIT_MAX } from "./limits.ts";

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
  "RateLimit-Policy": "the per-minute and per-day policies; a key without a daily cap has only the per-minute one",
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
  summary: "Get statistics and closed lists",
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
  summary: "List items, with filters",
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
        "X-Missing-Count": "csv and ndjson with `ids`: the number of IDs that do not exist",
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
    "For search boxes. Matching ignores case, accents and hyphens, and reads `St` as `Saint`. Texts that start with `q` come first, then texts whose words start with the words of `q`, then matches after typo correction. Within each group, texts with more items come first. Costs one request and no items.",
  auth: "key",
  query: Type.Object(
    {
      q: Type.String({ minLength: 1, maxLength: SUGGEST_LETTERS_MAX, description: "the text typed so far" }),
      type: Type.Optional(
        Type.Array(Type.Enum([...ITEM_TYPES]), {
          maxItems: 20,
          description: "only completions from items of these types; counts include only these types",
        }),
      ),
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: SUGGEST_LIMIT_MAX,
          description: `maximum number of completions, default ${SUGGEST_LIMIT_DEFAULT}`,
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
  summary: "Get an item",
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
  summary: "Get the usage of this key",
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
