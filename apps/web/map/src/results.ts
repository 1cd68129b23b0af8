/**
 * Search results: a first page with facets, then, if cheap, all the rest, so that the map can show points. Every item
 * costs quota, so more than a few hundred are loaded only on request.
 */
import { VersionChanged, type Api, type Facets, type Item, type Relaxed } from "./api.ts";
import { apiFilters, type ViewState } from "./view-state.ts";

export interface Results {
  /** The loaded items, a prefix of the list. */
  readonly items: readonly Item[];
  readonly total: number;
  /** Version of the data, equal for all items. */
  readonly version: string;
  /** Values per filter, counted without that filter's own selection. */
  readonly facets: Facets;
  /** Values under all filters. */
  readonly counts: Facets;
  readonly corrected: Readonly<Record<string, string>>;
  readonly relaxed: Relaxed;
  readonly unknownTags: readonly string[];
  /** The lists as parsed by the service. */
  readonly normal: Partial<Pick<ViewState, "type" | "region" | "departements">>;
}

const PAGE = 50;
/** Maximum items loaded automatically. */
const AUTO_LOAD_MAX = 400;
const FACETS = ["type", "region", "departement", "tag"];
/** Filters with alternative values: their facet is counted without their selection. */
const ALTERNATIVES = [
  ["type", "type"],
  ["region", "region"],
  ["departement", "departements"],
] as const;

export function isComplete({ items, total }: Pick<Results, "items" | "total">): boolean {
  return items.length >= total;
}

/** True when the rest is loaded automatically. */
export function isCheap({ total }: Pick<Results, "total">): boolean {
  return total <= AUTO_LOAD_MAX;
}

export async function search(api: Api, view: ViewState, { geo, signal }: Scope): Promise<Results> {
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

/** Counts that cost a request but no items. */
interface Scope {
  /** Whether the plan allows coordinates. */
  readonly geo: boolean;
  readonly signal: AbortSignal;
}

async function openFacet(
  api: Api,
  view: ViewState,
  { facet, geo, signal }: Scope & { readonly facet: string },
): Promise<Facets> {
  const params = apiFilters(view, { geo });
  params.set("limit", "0");
  params.set("facets", facet);
  params.delete("sort");
  return (await api.items(params, signal)).facets ?? {};
}

/** The next page. Throws `VersionChanged`. */
export async function nextPage(api: Api, view: ViewState, results: Results, { geo, signal }: Scope): Promise<Results> {
  const params = apiFilters(view, { geo });
  params.set("limit", String(PAGE));
  params.set("offset", String(results.items.length));
  const page = await api.items(params, signal);
  if (page.version !== results.version) throw new VersionChanged();
  return { ...results, items: [...results.items, ...page.items] };
}

/** Streams all remaining items in growing batches. Pro only. Throws `VersionChanged`. */
export async function allTheRest(
  api: Api,
  view: ViewState,
  { results, signal, onPart }: Pick<Scope, "signal"> & { readonly results: Results; onPart(results: Results): void },
): Promise<Results> {
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

function normalLists(query: Readonly<Record<string, unknown>>): Results["normal"] {
  return Object.fromEntries(
    ["type", "region", "departements"].flatMap((name) =>
      Array.isArray(query[name]) ? [[name, query[name].map(String)]] : [],
    ),
  );
}
