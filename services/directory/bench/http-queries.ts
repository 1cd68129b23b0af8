/** Converts a benchmark query to its URL. */
import type { NormalQuery } from "../src/domain/catalogue.ts";
import { departementByCode, regionByCode } from "../src/domain/reference.ts";
import { slugify } from "../src/domain/slug.ts";

/** @param labelOf label of a generated tag; an import derives its slug from it. */
export function addressOf(query: NormalQuery, labelOf: (slug: string) => string): string {
  const parameters = new URLSearchParams();
  const list = (name: string, values: readonly string[]) => {
    if (values.length > 0) parameters.append(name, values.join(","));
  };
  list("type", query.types);
  list(
    "departements",
    query.departements.map((code) => departementByCode(code)?.slug ?? code),
  );
  list(
    "region",
    query.regions.map((code) => regionByCode(code)?.slug ?? code),
  );
  for (const any of query.tags)
    list(
      "tag",
      any.map((tag) => slugify(labelOf(tag))),
    );
  if (query.text !== null) parameters.append("q", query.text);
  if (query.near !== null) {
    const { lat, lon } = query.near;
    parameters.append("near", `${lat.toFixed(6)},${lon.toFixed(6)}`);
    parameters.append("radius", String(query.near.radiusKm));
  }
  if (query.offset > 0) parameters.append("offset", String(query.offset));
  return `/api/items?${parameters.toString()}`;
}
