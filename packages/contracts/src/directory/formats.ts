import { Type } from "typebox";
import { ITEM_TYPES, PartialItem } from "./item.ts";
import { IDS_MAX } from "./limits.ts";

const strict = { additionalProperties: false } as const;
const { location: _, ...propertyFields } = PartialItem.properties;

const Point = Type.Object(
  {
    type: Type.Literal("Point"),
    coordinates: Type.Array(Type.Number(), { minItems: 2, maxItems: 2, description: "longitude, latitude (WGS84)" }),
  },
  { ...strict, title: "GeoJsonPoint" },
);

export const ItemFeature = Type.Object(
  {
    type: Type.Literal("Feature"),
    id: Type.String({ pattern: `^(${ITEM_TYPES.join("|")})/`, description: "`type/slug`" }),
    geometry: Type.Union([Point, Type.Null()], { description: "null on Discovery, and for items without a location" }),
    properties: Type.Object(propertyFields, { ...strict, description: "the keys of the plan without `location`" }),
  },
  { ...strict, title: "ItemFeature", description: "a GeoJSON Feature (RFC 7946)" },
);

export const ItemFeatureCollection = Type.Object(
  {
    type: Type.Literal("FeatureCollection"),
    numberMatched: Type.Integer({ minimum: 0, description: "exact number of matches" }),
    numberReturned: Type.Integer({ minimum: 0, description: "features in this response" }),
    timeStamp: Type.String({ format: "date-time" }),
    links: Type.Array(Type.Object({ rel: Type.String(), href: Type.String(), type: Type.String() }, strict)),
    attribution: Type.Array(Type.String(), { description: "attribution lines to display with the data" }),
    licence: Type.Array(Type.String(), { description: "licenses of the items" }),
    missing: Type.Optional(
      Type.Array(Type.String(), { maxItems: IDS_MAX, description: "only with `ids`: the IDs that do not exist" }),
    ),
    version: Type.String({ description: "published version of the data" }),
    features: Type.Array(ItemFeature),
  },
  { ...strict, title: "ItemFeatureCollection", description: "a GeoJSON FeatureCollection (RFC 7946)" },
);

const node = (type: string, members: Record<string, ReturnType<typeof Type.String>>) =>
  Type.Partial(Type.Object({ "@type": Type.Literal(type), ...members }, strict));
const text = (description: string) => Type.Optional(Type.String({ description }));
const texts = (description: string) => Type.Optional(Type.Array(Type.String(), { description }));
const GeoCoordinates = Type.Object(
  { "@type": Type.Literal("GeoCoordinates"), latitude: Type.Number(), longitude: Type.Number() },
  { ...strict, title: "GeoCoordinates" },
);

export const ItemJsonLd = Type.Object(
  {
    "@context": Type.Literal("https://schema.org"),
    "@type": Type.Enum(["Organization", "Place", "Article"]),
    "@id": Type.Optional(Type.String({ description: "absolute URL of the item" })),
    url: text("website, or else the URL of the item"),
    identifier: Type.String({ description: "`type/slug`" }),
    name: text("title of an actor or place"),
    headline: text("title of an article"),
    disambiguatingDescription: text("summary of an actor or place"),
    abstract: text("summary of an article"),
    description: text("long text"),
    keywords: texts("tags"),
    address: Type.Optional(
      node("PostalAddress", {
        streetAddress: Type.String(),
        postalCode: Type.String(),
        addressLocality: Type.String(),
        addressRegion: Type.String(),
        addressCountry: Type.String(),
      }),
    ),
    contentLocation: Type.Optional(
      Type.Object(
        { "@type": Type.Literal("Place"), name: Type.String(), geo: Type.Optional(GeoCoordinates) },
        { ...strict, description: "location of an article" },
      ),
    ),
    geo: Type.Optional(GeoCoordinates),
    email: text("email address"),
    telephone: text("telephone number"),
    image: texts("URLs of images"),
    sameAs: texts("URLs of the same entity elsewhere"),
    license: text("licence"),
    taxID: text("SIRET of an actor"),
    foundingDate: text("YYYY, YYYY-MM or YYYY-MM-DD"),
    openingHours: text("OpenStreetMap opening_hours syntax"),
    author: Type.Optional(node("Person", { name: Type.String() })),
    datePublished: text("publication time"),
    dateModified: text("last change"),
    dateCreated: text("first appearance"),
  },
  { ...strict, title: "ItemJsonLd", description: "schema.org JSON-LD; fields outside the plan are absent" },
);
