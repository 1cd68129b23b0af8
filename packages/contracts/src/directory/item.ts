/**
 * The item of the directory on the wire. The key set per plan and type is closed: every key is always present. Formats,
 * `fields=` and documents derive from the sets below.
 */
import { Type, type Static } from "typebox";

export const ITEM_TYPES = ["actor", "place", "article"] as const;
export type ItemType = (typeof ITEM_TYPES)[number];

const strict = { additionalProperties: false } as const;

/** A key whose value may be unknown: JSON null, never a missing key. */
const text = (description: string, maxLength?: number) =>
  Type.Union([Type.String(maxLength === undefined ? {} : { maxLength }), Type.Null()], { description });
const time = (description: string) => Type.String({ format: "date-time", description });

export const SLUG_PATTERN = "^[a-z0-9]+(-[a-z0-9]+)*$";
const slug = Type.String({
  pattern: SLUG_PATTERN,
  minLength: 1,
  maxLength: 120,
  description: "unique within its type",
});

const area = (description: string) =>
  Type.Union(
    [
      Type.Object({ code: Type.String(), slug: Type.String(), nom: Type.String() }, { ...strict, title: "Area" }),
      Type.Null(),
    ],
    {
      description,
    },
  );
const reference = Type.Object({ type: Type.Enum([...ITEM_TYPES]), slug }, { ...strict, title: "ItemReference" });
const titledUrls = (description: string) =>
  Type.Array(
    Type.Object(
      { url: Type.String(), title: Type.Union([Type.String(), Type.Null()]) },
      { ...strict, title: "TitledUrl" },
    ),
    { maxItems: 20, description },
  );

export const summaryFields = {
  type: Type.Enum([...ITEM_TYPES], { description: "item type" }),
  slug,
  url: Type.String({ format: "uri", description: "absolute URL of the item, never with a key" }),
  title: Type.String({ minLength: 1, maxLength: 200, description: "name, plain text" }),
  summary: Type.String({ maxLength: 300, description: "one or two sentences, plain text" }),
  commune: Type.Union(
    [
      Type.Object(
        { code: Type.Union([Type.String(), Type.Null()]), nom: Type.Union([Type.String(), Type.Null()]) },
        { ...strict, title: "Commune" },
      ),
      Type.Null(),
    ],
    { description: "INSEE code (a string) and name; one of them may be null" },
  ),
  departement: area("département: INSEE code, slug, name"),
  region: area("région: INSEE code, slug, name"),
  tags: Type.Array(Type.String(), {
    maxItems: 20,
    description: "slugs of its themes, sorted; /api/meta lists their labels",
  }),
  updated_at: time("last modification"),
};

export const proFields = {
  location: Type.Union(
    [
      Type.Object(
        { lat: Type.Number({ minimum: -90, maximum: 90 }), lon: Type.Number({ minimum: -180, maximum: 180 }) },
        { ...strict, title: "Location" },
      ),
      Type.Null(),
    ],
    { description: "WGS84 degrees, at most 6 decimals" },
  ),
  description: text("full description, plain text", 20_000),
  address: Type.Union(
    [
      Type.Object(
        { rue: Type.Union([Type.String(), Type.Null()]), code_postal: Type.Union([Type.String(), Type.Null()]) },
        { ...strict, title: "Address" },
      ),
      Type.Null(),
    ],
    { description: "street and postal code" },
  ),
  website: text("http(s) URL"),
  email: text("email address"),
  phone: text("E.164 where derivable, else as imported"),
  images: titledUrls("images, http(s) only"),
  links: titledUrls("related pages, http(s) only"),
  same_as: Type.Array(Type.String(), { maxItems: 20, description: "URLs of the same entity elsewhere" }),
  sources: Type.Array(
    Type.Object(
      {
        name: Type.String(),
        url: Type.Union([Type.String(), Type.Null()]),
        licence: Type.Union([Type.String(), Type.Null()]),
        retrieved_at: Type.Union([Type.String({ format: "date-time" }), Type.Null()]),
      },
      { ...strict, title: "Source" },
    ),
    { minItems: 1, maxItems: 20, description: "source of the data" },
  ),
  licence: text("SPDX identifier or short name"),
  created_at: time("first publication"),
  extra: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]), {
    description: "imported columns without a field of their own, at most 8 KiB",
  }),
};

export const typeFields = {
  actor: {
    siret: text("14 digits with a valid checksum"),
    legal_form: text("legal form"),
    founded: text("YYYY, YYYY-MM or YYYY-MM-DD"),
  },
  place: {
    opening_hours: text("OpenStreetMap opening_hours syntax"),
    access: text("directions and access"),
    managed_by: Type.Union([reference, Type.Null()], { description: "slug of the actor that runs the place" }),
  },
  article: {
    author: text("author"),
    published_at: Type.Union([Type.String({ format: "date-time" }), Type.Null()], {
      description: "publication time",
    }),
    mentions: Type.Array(reference, { maxItems: 20, description: "items that the article mentions" }),
  },
};

/** Only with `near`: great-circle distance from the given point in kilometers, 3 decimals. */
export const distanceField = {
  distance_km: Type.Number({ minimum: 0, description: "distance from `near` in kilometers, 3 decimals" }),
};
/** Only with `highlight=true`. */
export const highlightsField = {
  highlights: Type.Object(
    { title: Type.String(), summary: Type.String() },
    {
      ...strict,
      title: "Highlights",
      description: "HTML: `title` and `summary` with `<mark>` around matched words, everything else escaped",
    },
  ),
};
export const SummaryItem = Type.Object(summaryFields, {
  ...strict,
  title: "SummaryItem",
  description: "an item on the Discovery plan",
});
export const ActorItem = Type.Object(
  { ...summaryFields, ...proFields, ...typeFields.actor },
  { ...strict, title: "ActorItem" },
);
export const PlaceItem = Type.Object(
  { ...summaryFields, ...proFields, ...typeFields.place },
  { ...strict, title: "PlaceItem" },
);
export const ArticleItem = Type.Object(
  { ...summaryFields, ...proFields, ...typeFields.article },
  { ...strict, title: "ArticleItem" },
);

/** An item narrowed by `fields=`: any of its keys, always with `type` and `slug`. */
export const PartialItem = Type.Object(
  {
    ...Type.Partial(
      Type.Object({
        ...summaryFields,
        ...proFields,
        ...typeFields.actor,
        ...typeFields.place,
        ...typeFields.article,
        ...distanceField,
        ...highlightsField,
      }),
    ).properties,
    type: summaryFields.type,
    slug: summaryFields.slug,
  },
  {
    ...strict,
    title: "NarrowedItem",
    description: "the keys listed in `fields`, `distance_km` with `near`, and `highlights` with `highlight=true`",
  },
);

export type SummaryItem = Static<typeof SummaryItem>;
export type ActorItem = Static<typeof ActorItem>;
export type PlaceItem = Static<typeof PlaceItem>;
export type ArticleItem = Static<typeof ArticleItem>;
export type Item = ActorItem | PlaceItem | ArticleItem;

/** Field names without `distance_km` and `highlights`, which `near` and `highlight=true` add regardless of `fields=`. */
export const SUMMARY_FIELD_NAMES = Object.keys(summaryFields);
export function allFieldNames(type: ItemType): string[] {
  return [...SUMMARY_FIELD_NAMES, ...Object.keys(proFields), ...Object.keys(typeFields[type])];
}
export const ALL_FIELD_NAMES = [
  ...SUMMARY_FIELD_NAMES,
  ...Object.keys(proFields),
  ...ITEM_TYPES.flatMap((type) => Object.keys(typeFields[type])),
];
