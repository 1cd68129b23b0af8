/**
 * The item of the directory on the wire. The key set of a plan and type is closed: every key is always present, and no other
 * key ever is. The sets below are the single source of that promise; formats, `fields=` and documents derive from them.
 */
import { Type, type Static } from "typebox";

export const ITEM_TYPES = ["actor", "place", "article"] as const;
export type ItemType = (typeof ITEM_TYPES)[number];

/** A known name that may be absent: JSON null, never a missing key. */
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
      Type.Object({ code: Type.String(), slug: Type.String(), nom: Type.String() }, { additionalProperties: false }),
      Type.Null(),
    ],
    {
      description,
    },
  );
const reference = Type.Object({ type: Type.Enum([...ITEM_TYPES]), slug }, { additionalProperties: false });
const titledUrls = (description: string) =>
  Type.Array(
    Type.Object(
      { url: Type.String(), title: Type.Union([Type.String(), Type.Null()]) },
      { additionalProperties: false },
    ),
    { maxItems: 20, description },
  );

/** The 10 summary keys, in the order in which they are sent, whatever the type. */
export const summaryFields = {
  type: Type.Enum([...ITEM_TYPES], { description: "kind of the item" }),
  slug,
  url: Type.String({ format: "uri", description: "absolute address of the item, never with a key" }),
  title: Type.String({ minLength: 1, maxLength: 200, description: "name, plain text" }),
  summary: Type.String({ maxLength: 300, description: "a sentence or two, plain text" }),
  commune: Type.Union(
    [
      Type.Object(
        { code: Type.Union([Type.String(), Type.Null()]), nom: Type.Union([Type.String(), Type.Null()]) },
        { additionalProperties: false },
      ),
      Type.Null(),
    ],
    { description: "INSEE code (a string) and name; one of the two may be null" },
  ),
  departement: area("département: INSEE code, slug, name"),
  region: area("région: INSEE code, slug, name"),
  tags: Type.Array(Type.String(), {
    maxItems: 20,
    description: "slugs of its themes, sorted; labels are in /api/meta",
  }),
  updated_at: time("last change of the item"),
};

/** The 13 keys that the Pro plan adds for every type. */
export const proFields = {
  location: Type.Union(
    [
      Type.Object(
        { lat: Type.Number({ minimum: -90, maximum: 90 }), lon: Type.Number({ minimum: -180, maximum: 180 }) },
        { additionalProperties: false },
      ),
      Type.Null(),
    ],
    { description: "WGS84 degrees, at most 6 decimals" },
  ),
  description: text("long text, plain", 20_000),
  address: Type.Union(
    [
      Type.Object(
        { rue: Type.Union([Type.String(), Type.Null()]), code_postal: Type.Union([Type.String(), Type.Null()]) },
        { additionalProperties: false },
      ),
      Type.Null(),
    ],
    { description: "street and postal code" },
  ),
  website: text("http(s) URL"),
  email: text("e-mail address"),
  phone: text("E.164 where it can be derived, else as imported"),
  images: titledUrls("pictures, http(s) only"),
  links: titledUrls("further pages, http(s) only"),
  same_as: Type.Array(Type.String(), { maxItems: 20, description: "addresses of the same thing elsewhere" }),
  sources: Type.Array(
    Type.Object(
      {
        name: Type.String(),
        url: Type.Union([Type.String(), Type.Null()]),
        licence: Type.Union([Type.String(), Type.Null()]),
        retrieved_at: Type.Union([Type.String({ format: "date-time" }), Type.Null()]),
      },
      { additionalProperties: false },
    ),
    { minItems: 1, maxItems: 20, description: "where the facts come from" },
  ),
  licence: text("SPDX id or short name"),
  created_at: time("first appearance of the item"),
  extra: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]), {
    description: "imported columns that have no field of their own, at most 8 KiB",
  }),
};

/** The 3 keys that the Pro plan adds for each type. */
export const typeFields = {
  actor: {
    siret: text("14 digits with a valid check"),
    legal_form: text("legal form"),
    founded: text("YYYY, YYYY-MM or YYYY-MM-DD"),
  },
  place: {
    opening_hours: text("OpenStreetMap opening_hours syntax"),
    access: text("how to get there or in"),
    managed_by: Type.Union([reference, Type.Null()], { description: "the actor that runs the place" }),
  },
  article: {
    author: text("author"),
    published_at: Type.Union([Type.String({ format: "date-time" }), Type.Null()], {
      description: "time of publication",
    }),
    mentions: Type.Array(reference, { maxItems: 20, description: "items that the article is about" }),
  },
};

/** Only with `near`: great-circle kilometres from the point asked for, 3 decimals. */
export const distanceField = {
  distance_km: Type.Number({ minimum: 0, description: "kilometres from `near`, 3 decimals" }),
};

const closed = { additionalProperties: false } as const;
export const SummaryItem = Type.Object(summaryFields, {
  ...closed,
  title: "SummaryItem",
  description: "an item on the Discovery plan",
});
export const ActorItem = Type.Object(
  { ...summaryFields, ...proFields, ...typeFields.actor },
  { ...closed, title: "ActorItem" },
);
export const PlaceItem = Type.Object(
  { ...summaryFields, ...proFields, ...typeFields.place },
  { ...closed, title: "PlaceItem" },
);
export const ArticleItem = Type.Object(
  { ...summaryFields, ...proFields, ...typeFields.article },
  { ...closed, title: "ArticleItem" },
);

/** An item as `fields=` narrows it: any of its keys, `type` and `slug` always. */
export const NarrowedItem = Type.Object(
  {
    ...Type.Partial(
      Type.Object({
        ...summaryFields,
        ...proFields,
        ...typeFields.actor,
        ...typeFields.place,
        ...typeFields.article,
        ...distanceField,
      }),
    ).properties,
    type: summaryFields.type,
    slug: summaryFields.slug,
  },
  { ...closed, title: "NarrowedItem", description: "the keys that `fields` names, and those of `near`" },
);

export type SummaryItem = Static<typeof SummaryItem>;
export type ActorItem = Static<typeof ActorItem>;
export type PlaceItem = Static<typeof PlaceItem>;
export type ArticleItem = Static<typeof ArticleItem>;
/** An item with all its fields, as the Pro plan shows it. */
export type Item = ActorItem | PlaceItem | ArticleItem;

/** The names that an item has without being asked from a point: `distance_km` comes with `near`, whatever `fields=` says. */
export const SUMMARY_FIELD_NAMES = Object.keys(summaryFields);
export function allFieldNames(type: ItemType): string[] {
  return [...SUMMARY_FIELD_NAMES, ...Object.keys(proFields), ...Object.keys(typeFields[type])];
}
export const ALL_FIELD_NAMES = [
  ...SUMMARY_FIELD_NAMES,
  ...Object.keys(proFields),
  ...ITEM_TYPES.flatMap((type) => Object.keys(typeFields[type])),
];
