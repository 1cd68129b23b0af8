/**
 * Search results: a first page with facets, then, if cheap, all the rest, so that the map can show points. Every item
 * costs quota, so more than a few hundred are loaded only on request.
 */
import { VersionChanged } from "./api.js";
import { apiFilters } from "./view-state.js";

/** @typedef {import("./api.js").Api} Api */
/** @typedef {import("./api.js").Item} Item */
/** @typedef {import("./api.js").Facets} Facets */
/** @typedef {import("./view-state.js").ViewState} ViewState */
/**
 * @typedef {object} Results
 * @property {readonly Item[]} items the loaded items, a prefix of the list
 * @property {number} total
 * @property {string} version of the data, equal for all items
 * @property {Facets} facets values per filter, counted without that filter's own selection
 * @property {Facets} counts under all filters
 * @property {Record<string, string>} corrected
 * @property {import("./api.js").Relaxed} relaxed
 * @property {readonly string[]} unknownTags
 * @property {Partial<Pick<ViewState, "type" | "region" | "departements">>} normal the lists as parsed by the service
 */

const PAGE = 50;
/** Maximum items loaded automatically. */
const AUTO_LOAD_MAX = 400;
const FACETS = ["type", "region", "departement", "tag"];
/** Filters with alternative values: their facet is counted without their selection. */
const ALTERNATIVES = /** @type {const} */ ([
  ["type", "type"],
  ["region", "region"],
  ["departement", "departements"],
]);

/** @returns {boolean} */
export function isComplete(/** @type {Results} */ { items, total }) {
  return items.length >= total;
}

/** True when the rest is loaded automatically. @returns {boolean} */
export function isCheap(/** @type {Results} */ { total }) {
  return total <= AUTO_LOAD_MAX;
}

/** @returns {Promise<Results>} */
export async function search(
  /** @type {Api} */ api,
  /** @type {ViewState} */ view,
  /** @type {{ geo: boolean, signal: AbortSignal }} */ { geo, signal },
) {
  const params = apiFilters(view, { geo });
  params.set("limit", String(PAGE));
  params.set("facets", FACETS.join(","));
  const chosen = ALTERNATIVES.filter(([, filter]) => view[filter].length > 0);
  const [page, ...open] = await Promise.all([
    api.items(params, signal),
    ...chosen.map(([facet, filter]) => openFacet(api, { ...view, [filter]: [] }, { facet, geo, signal })),
  ]);
  const counts = page.facets ?? {};
  return {
    items: page.items,
    total: page.total,
    version: page.version,
    counts,
    facets: Object.assign({}, counts, ...open),
    corrected: page.query.corrected ?? {},
    relaxed: page.query.relaxed ?? {},
    unknownTags: page.query.unknown_tags ?? [],
    normal: normalLists(page.query),
  };
}

/** Costs a request and no items. @returns {Promise<Facets>} */
async function openFacet(
  /** @type {Api} */ api,
  /** @type {ViewState} */ view,
  /** @type {{ facet: string, geo: boolean, signal: AbortSignal }} */ { facet, geo, signal },
) {
  const params = apiFilters(view, { geo });
  params.set("limit", "0");
  params.set("facets", facet);
  params.delete("sort");
  return (await api.items(params, signal)).facets ?? {};
}

/** The next page. Throws `VersionChanged`. @returns {Promise<Results>} */
export async function nextPage(
  /** @type {Api} */ api,
  /** @type {ViewState} */ view,
  /** @type {Results} */ results,
  /** @type {{ geo: boolean, signal: AbortSignal }} */ { geo, signal },
) {
  const params = apiFilters(view, { geo });
  params.set("limit", String(PAGE));
  params.set("offset", String(results.items.length));
  const page = await api.items(params, signal);
  if (page.version !== results.version) throw new VersionChanged();
  return { ...results, items: [...results.items, ...page.items] };
}

/**
 * Streams all remaining items in growing batches. Pro only. Throws `VersionChanged`.
 * @param {Api} api
 * @param {ViewState} view
 * @param {Results} results
 * @param {{ signal: AbortSignal, onPart: (results: Results) => void }} options
 * @returns {Promise<Results>}
 */
export async function allTheRest(api, view, results, { signal, onPart }) {
  const items = [...results.items];
  let reported = items.length;
  const { version } = results;
  for await (const item of api.everything(apiFilters(view), { offset: items.length, version, signal })) {
    items.push(item);
    if (items.length < reported * 1.5 + 200) continue;
    reported = items.length;
    onPart({ ...results, items: [...items] });
  }
  return { ...results, items };
}

function normalLists(/** @type {Record<string, unknown>} */ query) {
  return Object.fromEntries(
    ["type", "region", "departements"].flatMap((name) =>
      Array.isArray(query[name]) ? [[name, query[name].map(String)]] : [],
    ),
  );
}
