/** Parses the query of `/api/items`. Adds every issue to `errors`; the result is valid only if there are none. */
import { LIMIT_DEFAULT, RADIUS_DEFAULT_KM, type FacetName, type ValidationIssue, type Sort } from "@triptych/contracts";
import { nearest, type ValidationErrors } from "@triptych/server";
import type { Filters, ItemId, Near } from "../domain/catalogue.ts";
import {
  DEPARTEMENTS,
  REGIONS,
  departementByCode,
  departementByName,
  foldName,
  regionByCode,
  regionByName,
  type Departement,
  type Region,
  looksSwapped,
} from "../domain/reference.ts";
import type { SincePoint } from "../domain/changes.ts";
import { readSince } from "./read-since.ts";
import type { Synonyms } from "../domain/search/synonyms.ts";
import { echoQuery } from "./echo-query.ts";
import type { ItemsQuery } from "./items-query.ts";
import { readBox } from "./read-box.ts";
import { isExclusion, readTags, sortedSet, splitTypes } from "./read-exclusions.ts";
import { readIds } from "./read-ids.ts";
import { readItemKeys, type KeysContext } from "./read-item-keys.ts";

export interface ItemsRequest {
  /** Items to return instead of a search; null without `ids`. */
  readonly ids: readonly ItemId[] | null;
  /** `since` is not yet resolved: see `applySince`. */
  readonly filters: Filters;
  readonly since: SincePoint | null;
  readonly sort: Sort;
  readonly offset: number;
  readonly limit: number | "all";
  readonly facets: readonly FacetName[];
  readonly highlight: boolean;
  /** As requested; null for all fields of the plan. */
  readonly fields: readonly string[] | null;
  readonly echo: Readonly<Record<string, unknown>>;
}

export interface QueryContext extends KeysContext {
  /** Synonyms of searched words, unless the request disables them. */
  readonly synonyms: Synonyms;
}

export async function readItemsQuery(query: ItemsQuery, context: QueryContext): Promise<ItemsRequest> {
  const { errors, synonyms } = context;
  const ids = readIds(query, errors);
  const departement = query.departement === undefined ? null : readDepartementName(query.departement, errors);
  const departements = readList("departements", query.departements, {
    find: departementBySlugOrCode,
    allowed: DEPARTEMENTS,
    errors,
  });
  const regions = readList("region", query.region, { find: regionByAnyName, allowed: REGIONS, errors });
  const keys = await readItemKeys(query, context);
  const { tags, excludedTags } = readTags(query.tag, errors);
  const text = query.q === undefined ? null : readText(query.q, errors);
  const near = readNear(query, errors);
  const since = query.since === undefined ? null : readSince(query.since, errors);
  const box = query.bbox === undefined ? null : readBox(query.bbox, errors);
  const sort = readSort(query, errors);
  checkFields(query, errors);
  checkHighlight(query, errors);
  const types = sortedSet(query.type ?? []);
  const { included, excluded } = splitTypes(types);

  const filters: Filters = {
    types: included,
    excludedTypes: excluded,
    departement: departement?.code ?? null,
    departements: departements.map((departement) => departement.code),
    regions: regions.map((region) => region.code),
    ...keys.filters,
    tags,
    excludedTags,
    text,
    correct: query.correct ?? true,
    strict: query.strict ?? false,
    synonyms: text === null || query.synonyms === false ? null : synonyms,
    near,
    changedAfter: null,
    box,
  };
  return {
    ids,
    filters,
    since,
    sort,
    offset: query.offset ?? 0,
    limit: query.limit ?? ids?.length ?? LIMIT_DEFAULT,
    facets: sortedSet(query.facets ?? []),
    highlight: query.highlight ?? false,
    fields: query.fields ? sortedSet(query.fields) : null,
    echo: echoQuery(query, { ids, filters, sort, types, departement, departements, regions, keys }),
  };
}

interface Named {
  readonly code: string;
  readonly slug: string;
  readonly nom: string;
}

function readDepartementName(name: string, errors: ValidationErrors): Departement | null {
  const found = isExclusion(name) ? undefined : departementByName(name);
  if (!found) errors.add(unknownValue("departement", [name], DEPARTEMENTS));
  return found ?? null;
}

interface ListReading<T extends Named> {
  readonly find: (value: string) => T | undefined;
  readonly allowed: readonly T[];
  readonly errors: ValidationErrors;
}

/** Resolves the entries of a reference list, unique and sorted by code. One issue lists all unknown values. */
function readList<T extends Named>(
  name: string,
  values: readonly string[] | undefined,
  { find, allowed, errors }: ListReading<T>,
): T[] {
  if (!values) return [];
  const unknown = values.filter((value) => !find(value));
  if (unknown.length > 0) errors.add(unknownValue(name, unknown, allowed));
  const found = new Set(values.map(find).filter((entry) => entry !== undefined));
  return [...found].sort((a, b) => (a.code < b.code ? -1 : 1));
}

function departementBySlugOrCode(value: string): Departement | undefined {
  return (
    departementByCode(value.toUpperCase()) ??
    DEPARTEMENTS.find((departement) => departement.slug === value.toLowerCase())
  );
}

function regionByAnyName(value: string): Region | undefined {
  if (isExclusion(value)) return undefined;
  return regionByCode(value) ?? REGIONS.find((region) => region.slug === value.toLowerCase()) ?? regionByName(value);
}

function unknownValue(name: string, values: readonly string[], allowed: readonly Named[]): ValidationIssue {
  const byFolded = new Map(allowed.map((entry) => [foldName(entry.nom), entry]));
  const near = values.flatMap((value) => nearest(foldName(value), byFolded.keys(), 3));
  const suggestions = [...new Set(near)].slice(0, 3).map((folded) => {
    const found = byFolded.get(folded);
    return name === "departement" ? (found?.nom ?? folded) : (found?.slug ?? folded);
  });
  const quoted = values
    .slice(0, 5)
    .map((value) => `"${value.slice(0, 60)}"`)
    .join(", ");
  const hint = suggestions.length > 0 ? ` Did you mean ${suggestions.join(", ")}?` : " /api/meta lists them all.";
  return {
    path: `?${name}`,
    reason: "unknown_value",
    message: `Unknown \`${name}\`: ${quoted}.${hint}`,
    suggestions,
  };
}

function readText(text: string, errors: ValidationErrors): string {
  if (!/[\p{L}\p{N}]/u.test(text)) {
    errors.add({
      path: "?q",
      reason: "empty_query",
      message: "`q` must contain a letter or a digit.",
    });
  }
  return text;
}

/** Up to 30 decimals: programs print a longitude near 0 with more than sixteen. */
const POINT = /^\s*([+-]?\d{1,3}(?:\.\d{1,30})?)\s*,\s*([+-]?\d{1,3}(?:\.\d{1,30})?)\s*$/;

function readNear(query: ItemsQuery, errors: ValidationErrors): Near | null {
  if (query.near === undefined) {
    if (query.radius !== undefined && !errors.has("?near")) {
      errors.add({
        path: "?radius",
        reason: "needs_near",
        message: "`radius` requires a point; add `near=lat,lon`.",
      });
    }
    return null;
  }
  const [, lat, lon] = POINT.exec(query.near) ?? [];
  const point = { lat: Number(lat), lon: Number(lon) };
  if (lat === undefined || Math.abs(point.lat) > 90 || Math.abs(point.lon) > 180) {
    const message =
      "`near` must be two decimal numbers, lat,lon, not lon,lat: latitude from -90 to 90, then longitude from -180 to 180, as in near=48.117,-1.678.";
    errors.add({ path: "?near", reason: "not_a_point", message });
    return null;
  }
  if (looksSwapped(point)) {
    const suggestion = `${point.lon},${point.lat}`;
    const message = `\`near\` is lat,lon, not lon,lat: this point is outside France. Did you mean near=${suggestion}?`;
    errors.add({ path: "?near", reason: "swapped", message, suggestions: [suggestion] });
    return null;
  }
  return { lat: point.lat + 0, lon: point.lon + 0, radiusKm: query.radius ?? RADIUS_DEFAULT_KM };
}

function checkFields({ fields, near }: ItemsQuery, errors: ValidationErrors): void {
  if (near !== undefined || errors.has("?near") || !fields?.includes("distance_km")) return;
  errors.add({
    path: "?fields",
    reason: "needs_near",
    message: "`distance_km` requires a point; add `near=lat,lon`.",
  });
}

function checkHighlight({ highlight, q, format, fields }: ItemsQuery, errors: ValidationErrors): void {
  if (highlight !== true) {
    if (!fields?.includes("highlights") || errors.has("?highlight")) return;
    errors.add({
      path: "?fields",
      reason: "needs_highlight",
      message: "`highlights` requires `highlight=true`.",
    });
    return;
  }
  if (q === undefined && !errors.has("?q")) {
    errors.add({
      path: "?highlight",
      reason: "needs_q",
      message: "`highlight=true` requires a search text; add `q`.",
    });
  } else if (format === "csv") {
    errors.add({
      path: "?highlight",
      reason: "needs_format",
      message: "`highlight=true` requires format=json, geojson or ndjson.",
      allowed: ["json", "geojson", "ndjson"],
    });
  }
}

function readSort(query: ItemsQuery, errors: ValidationErrors): Sort {
  if (query.sort === "relevance" && query.q === undefined && !errors.has("?q")) {
    errors.add({
      path: "?sort",
      reason: "needs_q",
      message: "`sort=relevance` requires a search text; add `q`.",
    });
  }
  if (query.sort === "distance" && query.near === undefined && !errors.has("?near")) {
    errors.add({
      path: "?sort",
      reason: "needs_near",
      message: "`sort=distance` requires a point; add `near=lat,lon`.",
    });
  }
  return query.sort ?? (query.near !== undefined ? "distance" : query.q !== undefined ? "relevance" : "title");
}
