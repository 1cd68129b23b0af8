/**
 * State of the map page in the URL: the filters of `/api/items` under their own names, and the viewport. Never contains
 * the key. Parsing is lenient: invalid values are ignored.
 */

export interface Place {
  readonly lat: number;
  readonly lon: number;
}

export interface ViewState {
  readonly q: string;
  readonly type: readonly string[];
  readonly region: readonly string[];
  readonly departements: readonly string[];
  /** Name of a commune. */
  readonly commune: string;
  /** AND of its entries; a comma list is an OR. */
  readonly tag: readonly string[];
  readonly near: Place | null;
  /** Kilometers. */
  readonly radius: number;
  /** West, south, east, north: the list follows the map. */
  readonly bbox: Box | null;
  /** "" is the API's default. */
  readonly sort: string;
  readonly camera: Camera | null;
}

export type Box = readonly [number, number, number, number];

export interface Camera extends Place {
  readonly territory: string;
  /** Binary logarithm of the pixels per kilometer, plus 3. */
  readonly zoom: number;
}

export const EMPTY_VIEW: ViewState = {
  q: "",
  type: [],
  region: [],
  departements: [],
  commune: "",
  tag: [],
  near: null,
  radius: 10,
  bbox: null,
  sort: "",
  camera: null,
};

const LISTS = ["type", "region", "departements"] as const;
const SORTS = ["relevance", "distance", "title", "updated_at", "-updated_at"];

export function readView(search: string): ViewState {
  const params = new URLSearchParams(search);
  const repeated = (name: string) => [...new Set(params.getAll(name).map((text) => text.trim()))];
  const list = (name: string) => [
    ...new Set(
      repeated(name)
        .flatMap((text) => text.split(","))
        .map((text) => text.trim())
        .filter((text) => text !== ""),
    ),
  ];
  const radius = Number(params.get("radius") ?? Number.NaN);
  const sort = params.get("sort") ?? "";
  return {
    q: (params.get("q") ?? "").slice(0, 200),
    type: list("type"),
    region: list("region"),
    departements: [...new Set([...list("departements"), ...params.getAll("departement").flatMap(slugOf)])],
    commune: (params.get("commune") ?? "").trim().slice(0, 100),
    tag: repeated("tag").filter((text) => text.split(",").every((tag) => tag.trim() !== "")),
    near: readNear(params.get("near")),
    radius: radius > 0 && radius <= 200 ? radius : EMPTY_VIEW.radius,
    bbox: readBox(params.get("bbox")),
    sort: SORTS.includes(sort) ? sort : "",
    camera: readCamera(params.get("map")),
  };
}

/** The filters as API parameters; `near` only if the plan allows it. */
export function apiFilters(view: ViewState, { geo = true } = {}): URLSearchParams {
  const params = new URLSearchParams();
  if (view.q.trim() !== "") params.set("q", view.q);
  for (const name of LISTS) if (view[name].length > 0) params.set(name, view[name].join(","));
  if (view.commune !== "") params.set("commune", view.commune);
  for (const tag of view.tag) params.append("tag", tag);
  if (view.near !== null && geo) {
    params.set("near", `${round(view.near.lat)},${round(view.near.lon)}`);
    params.set("radius", String(view.radius));
  }
  if (view.bbox !== null && geo) params.set("bbox", view.bbox.map((degrees) => degrees.toFixed(4)).join(","));
  const impossible =
    (view.sort === "relevance" && !params.has("q")) || (view.sort === "distance" && !params.has("near"));
  if (view.sort !== "" && !impossible) params.set("sort", view.sort);
  return params;
}

/** The query string of the page. */
export function writeView(view: ViewState, lang = ""): string {
  const params = apiFilters(view);
  if (view.camera !== null) {
    const { territory, lat, lon, zoom } = view.camera;
    params.set("map", [territory, lat.toFixed(3), lon.toFixed(3), zoom.toFixed(2)].join(","));
  }
  if (lang !== "") params.set("lang", lang);
  return formatFilters(params);
}

/** A readable query string: commas stay unencoded. */
export function formatFilters(params: URLSearchParams): string {
  const text = params.toString().replaceAll("%2C", ",");
  return text === "" ? "" : `?${text}`;
}

/**
 * Converts a département's name (`departement`) to a slug for `departements`. The part of `domain/slug.ts` that these
 * names need; pages cannot load that module. Empty for an empty name.
 */
function slugOf(name: string): string[] {
  const slug = name
    .normalize("NFD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
  return slug === "" ? [] : [slug];
}

export function toggled(values: readonly string[], value: string): readonly string[] {
  return values.includes(value) ? values.filter((entry) => entry !== value) : [...values, value];
}

function readNear(text: string | null): Place | null {
  const [lat, lon] = numbers(text, 2);
  return lat !== undefined && lon !== undefined && Math.abs(lat) <= 90 && Math.abs(lon) <= 180 ? { lat, lon } : null;
}

function readBox(text: string | null): Box | null {
  const [west, south, east, north] = numbers(text, 4);
  const isBox = west !== undefined && Math.max(-west, east) <= 180 && -90 <= south && south < north && north <= 90;
  return isBox ? [west, south, east, north] : null;
}

function readCamera(text: string | null): Camera | null {
  const [territory = "", ...rest] = (text ?? "").split(",");
  const [lat, lon, zoom] = numbers(rest.join(","), 3);
  if (lat === undefined || lon === undefined || zoom === undefined) return null;
  return Math.abs(lat) <= 90 && Math.abs(lon) <= 180 && zoom >= 0 && zoom <= 12 ? { territory, lat, lon, zoom } : null;
}

/** Exactly `count` finite numbers, or none. */
function numbers(text: string | null, count: number): number[] {
  const parts = (text ?? "").split(",");
  if (parts.length !== count || parts.some((part) => !/^\s*-?\d+(\.\d+)?\s*$/.test(part))) return [];
  return parts.map(Number);
}

function round(degrees: number) {
  return Math.round(degrees * 1e5) / 1e5;
}
