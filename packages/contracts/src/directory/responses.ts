import { Type } from "typebox";
import { ActorItem, ArticleItem, ITEM_TYPES, PartialItem, PlaceItem, SummaryItem } from "./item.ts";
import { IDS_MAX, LIMIT_MAX, SUGGEST_LIMIT_MAX } from "./limits.ts";

const count = (description: string) => Type.Integer({ minimum: 0, description });
const facetValues = Type.Array(
  Type.Object(
    { value: Type.String(), label: Type.String(), count: count("matching items") },
    { additionalProperties: false, title: "FacetValue" },
  ),
);
const areaCode = { code: Type.String(), slug: Type.String(), nom: Type.String() };

export const AnyItem = Type.Union([SummaryItem, ActorItem, PlaceItem, ArticleItem, PartialItem], {
  title: "Item",
  description:
    "summary keys on Discovery, all keys of its type on Pro (plus `distance_km` with `near`); `fields=` narrows either",
});

export const Suggestions = Type.Array(
  Type.Object(
    {
      kind: Type.Enum(["title", "commune", "tag"]),
      text: Type.String({ description: "the title, the commune's name or the tag's label" }),
      type: Type.Optional(Type.Enum([...ITEM_TYPES], { description: "type of a title" })),
      slug: Type.Optional(Type.String({ description: "slug of a tag, or of the only item with this title" })),
      count: Type.Optional(count("items of a commune or tag, or with this title if there are several")),
    },
    { additionalProperties: false, title: "Suggestion" },
  ),
  { maxItems: SUGGEST_LIMIT_MAX, title: "Suggestions" },
);

export const ItemsPage = Type.Object(
  {
    items: Type.Array(PartialItem, {
      maxItems: LIMIT_MAX,
      description: "each is an Item with all keys of its plan and type, or with those in `fields`",
    }),
    total: count("exact number of matches on all pages"),
    limit: count("applied page size"),
    offset: count("items skipped"),
    links: Type.Object(
      {
        self: Type.String(),
        next: Type.Union([Type.String(), Type.Null()]),
        prev: Type.Union([Type.String(), Type.Null()]),
      },
      { additionalProperties: false, description: "the same links as the Link header, never with a key" },
    ),
    query: Type.Record(Type.String(), Type.Unknown(), {
      description:
        "the filters as parsed: slugs, exclusions with `-`, and `sort`. Present if they apply: `corrected` maps typed words to corrections; `relaxed` lists `dropped` and `corrected` words if all words together matched nothing, or nothing in the town of `q`; `unknown_tags`",
    }),
    facets: Type.Optional(
      Type.Object(
        {
          type: Type.Optional(facetValues),
          departement: Type.Optional(facetValues),
          region: Type.Optional(facetValues),
          commune: Type.Optional(facetValues),
          tag: Type.Optional(facetValues),
          source: Type.Optional(facetValues),
        },
        { additionalProperties: false, description: "only on request" },
      ),
    ),
    missing: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: IDS_MAX,
        description: "only with `ids`: the IDs that do not exist, as `type/slug`, in the order of the request",
      }),
    ),
    version: Type.String({
      description: "published version of the data, `<number>-<hash>`; compare it instead of polling",
    }),
    quota_truncated: Type.Boolean({ description: "true if the daily quota cut the page short" }),
  },
  { additionalProperties: false, title: "ItemsPage" },
);

export const Meta = Type.Object(
  {
    version: Type.String(),
    generated_at: Type.String({ format: "date-time" }),
    updated_at: Type.String({ format: "date-time" }),
    totals: Type.Object(
      {
        all: count("items"),
        actor: count("actors"),
        place: count("places"),
        article: count("articles"),
        located: count("items with a location"),
      },
      { additionalProperties: false },
    ),
    departements: Type.Array(
      Type.Object(
        { ...areaCode, region: Type.String({ description: "slug of its région" }), count: count("items") },
        { additionalProperties: false },
      ),
    ),
    regions: Type.Array(Type.Object({ ...areaCode, count: count("items") }, { additionalProperties: false })),
    tags: Type.Array(
      Type.Object(
        { slug: Type.String(), label: Type.String(), count: count("items") },
        { additionalProperties: false },
      ),
    ),
    bbox: Type.Union([Type.Array(Type.Number(), { minItems: 4, maxItems: 4 }), Type.Null()], {
      description: "west, south, east, north of the located items; null if there are none",
    }),
    licence: Type.Array(Type.String(), { description: "licenses of the items" }),
    attribution: Type.Array(Type.String(), {
      description: "attribution lines to display with the data: source and license",
    }),
  },
  { additionalProperties: false, title: "Meta" },
);

const period = {
  requests: count("accepted requests"),
  items: count("items sent"),
  bytes: count("bytes of the responses"),
  geo_requests: count("requests with `near` or `bbox`"),
  amount_micro: count("micro-euros"),
};
const nullableCount = (description: string) => Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { description });
export const Usage = Type.Object(
  {
    key: Type.Object(
      { id: Type.String(), name: Type.String(), plan: Type.Enum(["discovery", "pro"]), test: Type.Boolean() },
      { additionalProperties: false },
    ),
    minute: Type.Object(
      {
        limit: count("requests in any 60 s window"),
        remaining: count("left now"),
        reset_seconds: count("seconds until the oldest request leaves the window"),
      },
      { additionalProperties: false },
    ),
    day: Type.Object(
      {
        date: Type.String({ format: "date" }),
        limit: nullableCount("items per day, null if unlimited"),
        used: count("items sent today"),
        remaining: nullableCount("items left today, null if unlimited"),
        reset_seconds: count("seconds until midnight UTC"),
      },
      { additionalProperties: false },
    ),
    month: Type.Object(period, { additionalProperties: false, description: "sum of `days`" }),
    days: Type.Array(
      Type.Object({ date: Type.String({ format: "date" }), ...period }, { additionalProperties: false }),
    ),
  },
  { additionalProperties: false, title: "Usage" },
);

export const Discovery = Type.Object(
  {
    name: Type.String(),
    api_version: Type.String(),
    base_url: Type.String(),
    documentation: Type.String(),
    openapi: Type.String(),
    map: Type.String(),
    contact: Type.Union([Type.String(), Type.Null()]),
    licence: Type.String(),
    authentication: Type.Array(Type.Record(Type.String(), Type.Unknown())),
    plans: Type.Array(Type.Record(Type.String(), Type.Unknown())),
    endpoints: Type.Array(Type.Record(Type.String(), Type.Unknown())),
    formats: Type.Record(Type.String(), Type.Unknown()),
    limits: Type.Record(Type.String(), Type.Unknown()),
  },
  { additionalProperties: false, title: "Discovery" },
);
