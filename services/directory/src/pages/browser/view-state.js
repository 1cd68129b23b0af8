/**
 * State of the map page in the URL: the filters of `/api/items` under their own names, and the viewport. Never contains
 * the key. Parsing is lenient: invalid values are ignored.
 */

/**
 * @typedef {object} ViewState
 * @property {string} q
 * @property {readonly string[]} type
 * @property {readonly string[]} region
 * @property {readonly string[]} departements
 * @property {string} commune name
 * @property {readonly string[]} tag AND of its entries; a comma list is an OR
 * @property {{ lat: number, lon: number } | null} near
 * @property {number} radius kilometers
 * @property {string} sort "" = the API's default
 * @property {{ territory: string, lat: number, lon: number, zoom: number } | null} camera
 */

/** @type {ViewState} */
export const EMPTY_VIEW = {
  q: "",
  type: [],
  region: [],
  departements: [],
  commune: "",
  tag: [],
  near: null,
  radius: 10,
  sort: "",
  camera: null,
};

const LISTS = /** @type {const} */ (["type", "region", "departements"]);
const SORTS = ["relevance", "distance", "title", "updated_at", "-updated_at"];

/** @returns {ViewState} */
export function readView(/** @type {string} */ search) {
  const params = new URLSearchParams(search);
  const repeated = (/** @type {string} */ name) => [...new Set(params.getAll(name).map((text) => text.trim()))];
  const list = (/** @type {string} */ name) => [
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
    sort: SORTS.includes(sort) ? sort : "",
    camera: readCamera(params.get("map")),
  };
}

/** The filters as API parameters; `near` only if the plan allows it. @returns {URLSearchParams} */
export function apiFilters(/** @type {ViewState} */ view, { geo = true } = {}) {
  const params = new URLSearchParams();
  if (view.q.trim() !== "") params.set("q", view.q);
  for (const name of LISTS) if (view[name].length > 0) params.set(name, view[name].join(","));
  if (view.commune !== "") params.set("commune", view.commune);
  for (const tag of view.tag) params.append("tag", tag);
  if (view.near !== null && geo) {
    params.set("near", `${round(view.near.lat)},${round(view.near.lon)}`);
    params.set("radius", String(view.radius));
  }
  const impossible =
    (view.sort === "relevance" && !params.has("q")) || (view.sort === "distance" && !params.has("near"));
  if (view.sort !== "" && !impossible) params.set("sort", view.sort);
  return params;
}

/** The query string of the page. @returns {string} */
export function writeView(/** @type {ViewState} */ view, lang = "") {
  const params = apiFilters(view);
  if (view.camera !== null) {
    const { territory, lat, lon, zoom } = view.camera;
    params.set("map", [territory, lat.toFixed(3), lon.toFixed(3), zoom.toFixed(2)].join(","));
  }
  if (lang !== "") params.set("lang", lang);
  return formatFilters(params);
}

/** A readable query string: commas stay unencoded. */
export function formatFilters(/** @type {URLSearchParams} */ params) {
  const text = params.toString().replaceAll("%2C", ",");
  return text === "" ? "" : `?${text}`;
}

/**
 * Converts a département's name (`departement`) to a slug for `departements`. The part of `domain/slug.ts` that these
 * names need; pages cannot load that module.
 * @returns {string[]} empty for an empty name
 */
function slugOf(/** @type {string} */ name) {
  const slug = name
    .normalize("NFD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
  return slug === "" ? [] : [slug];
}

/** @returns {ViewState["near"]} */
function readNear(/** @type {string | null} */ text) {
  const [lat, lon] = numbers(text, 2);
  return lat !== undefined && lon !== undefined && Math.abs(lat) <= 90 && Math.abs(lon) <= 180 ? { lat, lon } : null;
}

/** @returns {ViewState["camera"]} */
function readCamera(/** @type {string | null} */ text) {
  const [territory, ...rest] = (text ?? "").split(",");
  const [lat, lon, zoom] = numbers(rest.join(","), 3);
  if (lat === undefined || lon === undefined || zoom === undefined) return null;
  return Math.abs(lat) <= 90 && Math.abs(lon) <= 180 && zoom >= 0 && zoom <= 12 ? { territory, lat, lon, zoom } : null;
}

/** @returns {number[]} exactly `count` finite numbers, or none */
function numbers(/** @type {string | null} */ text, /** @type {number} */ count) {
  const parts = (text ?? "").split(",");
  if (parts.length !== count || parts.some((part) => !/^\s*-?\d+(\.\d+)?\s*$/.test(part))) return [];
  return parts.map(Number);
}

function round(/** @type {number} */ degrees) {
  return Math.round(degrees * 1e5) / 1e5;
}
