import type { ProjectedItem } from "./json.ts";

const TYPES: Readonly<Record<string, string>> = { actor: "Organization", place: "Place", article: "Article" };

export function toJsonLd(item: ProjectedItem): Record<string, unknown> {
  const type = String(item["type"]);
  const isArticle = type === "article";
  const graph = {
    "@context": "https://schema.org",
    "@type": TYPES[type],
    "@id": item["url"],
    url: item["website"] ?? item["url"],
    identifier: `${type}/${String(item["slug"])}`,
    [isArticle ? "headline" : "name"]: item["title"],
    [isArticle ? "abstract" : "disambiguatingDescription"]: item["summary"],
    description: item["description"],
    keywords: item["tags"],
    [isArticle ? "contentLocation" : "address"]: isArticle ? placeOf(item) : postalAddress(item),
    geo: isArticle ? undefined : geoOf(item["location"]),
    email: isArticle ? undefined : item["email"],
    telephone: isArticle ? undefined : item["phone"],
    image: urlsOf(item["images"]),
    sameAs: item["same_as"],
    license: item["licence"],
    ...(type === "actor" && { taxID: item["siret"], foundingDate: item["founded"] }),
    ...(type === "place" && { openingHours: item["opening_hours"] }),
    ...(isArticle && {
      author: item["author"] && { "@type": "Person", name: item["author"] },
      datePublished: item["published_at"],
      dateModified: item["updated_at"],
      dateCreated: item["created_at"],
    }),
  };
  return Object.fromEntries(Object.entries(graph).filter(([, value]) => !isEmpty(value)));
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
}

function nameOf(area: unknown): unknown {
  return typeof area === "object" && area !== null && "nom" in area ? area.nom : undefined;
}

function postalAddress(item: ProjectedItem): Record<string, unknown> | undefined {
  const address = item["address"];
  const street = typeof address === "object" && address !== null ? (address as Record<string, unknown>) : {};
  const parts = {
    streetAddress: street["rue"],
    postalCode: street["code_postal"],
    addressLocality: nameOf(item["commune"]),
    addressRegion: nameOf(item["region"]),
  };
  const present = Object.entries(parts).filter(([, value]) => !isEmpty(value));
  return present.length === 0
    ? undefined
    : { "@type": "PostalAddress", ...Object.fromEntries(present), addressCountry: "FR" };
}

function placeOf(item: ProjectedItem): Record<string, unknown> | undefined {
  const name = nameOf(item["commune"]) ?? nameOf(item["departement"]) ?? nameOf(item["region"]);
  const geo = geoOf(item["location"]);
  return name === undefined ? undefined : { "@type": "Place", name, ...(geo && { geo }) };
}

function geoOf(location: unknown): Record<string, unknown> | undefined {
  if (typeof location !== "object" || location === null || !("lat" in location) || !("lon" in location))
    return undefined;
  return { "@type": "GeoCoordinates", latitude: location.lat, longitude: location.lon };
}

function urlsOf(list: unknown): unknown[] {
  return Array.isArray(list)
    ? list.map((entry: unknown) => (typeof entry === "object" && entry !== null && "url" in entry ? entry.url : entry))
    : [];
}
