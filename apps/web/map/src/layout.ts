/** Converts results to map content: points if loaded, else counts per département. Pure. */
import type { FacetValue, Item } from "./api.ts";
import type { Anchor } from "./background.ts";
import { isCheap, isComplete, type Results } from "./results.ts";
import { isInside, isOffTheMap } from "./territories.ts";
import type { Place, ViewState } from "./view-state.ts";

/** Approximate distance from a préfecture to the farthest border of its département. */
const VICINITY_KM = 75;
/** Margin around the points of a search. */
const POINT_KM = 5;

export type Plan = "discovery" | "pro";

/** The results of a département or région, at one place. */
export interface Count {
  readonly filter: "departements" | "region";
  readonly value: string;
  readonly label: string;
  readonly count: number;
  readonly chosen: boolean;
  readonly place: Place;
}

export interface MapContent {
  /** Drawn if they have a location. */
  readonly points: readonly Item[];
  /** Per département; if not empty, replaces points. */
  readonly counts: readonly Count[];
  readonly regionCounts: readonly Count[];
  readonly circle: (Place & { readonly radius: number }) | null;
  readonly chosen: Item | null;
  /** Codes of the chosen départements. */
  readonly chosenDepartements: readonly string[];
}

export interface Summary {
  readonly plan: Plan | null;
  readonly total: number;
  readonly asPoints: boolean;
  /** Results in the counts per département. */
  readonly counted: number;
  /** Items without a location. */
  readonly without: number;
  /** Items outside all territories. */
  readonly off: number;
}

interface LayoutInput {
  readonly plan: Plan | null;
  readonly results: Results | null;
  readonly view: ViewState;
  readonly anchors: readonly Anchor[];
  readonly chosen: Item | null;
}

export function layoutOf({ plan, results, view, anchors, chosen }: LayoutInput): {
  readonly layout: MapContent;
  readonly summary: Summary;
} {
  const items = results?.items ?? [];
  const asPoints = plan === "pro" && results !== null && (isComplete(results) || isCheap(results));
  const bySlug = new Map(anchors.map((anchor) => [anchor.slug, anchor]));
  const counts = asPoints ? [] : departementCounts(results?.counts["departement"] ?? [], view, bySlug);
  const located = items.flatMap((item) => item.location ?? []);
  return {
    layout: {
      points: asPoints ? items : [],
      counts,
      regionCounts: asPoints ? [] : regionCounts(results?.counts["region"] ?? [], view, anchors),
      circle: view.near !== null && plan !== "discovery" ? { ...view.near, radius: view.radius } : null,
      chosen,
      chosenDepartements: chosenAnchors(view, anchors).map((anchor) => anchor.code),
    },
    summary: {
      plan,
      total: results?.total ?? 0,
      asPoints,
      counted: counts.reduce((sum, count) => sum + count.count, 0),
      without: items.length - located.length,
      off: located.filter(isOffTheMap).length,
    },
  };
}

/** What a search shows: filtered départements as a whole, else the points of a search, else everything. */
export function fitTarget({ plan, results, view, anchors }: Omit<LayoutInput, "chosen">): {
  readonly places: readonly Place[];
  /** Margin around each place. */
  readonly km: number;
} {
  const filtered = chosenAnchors(view, anchors).map((anchor) => anchor.place);
  if (filtered.length > 0) return { places: filtered, km: VICINITY_KM };
  const isSearch = view.q.trim() !== "" || view.commune !== "" || view.tag.length > 0;
  const points = plan === "pro" && isSearch && results !== null && isComplete(results) ? results.items : [];
  return { places: points.flatMap(({ location }) => location ?? []), km: POINT_KM };
}

/** The préfectures of the filtered départements and régions. */
function chosenAnchors(view: ViewState, anchors: readonly Anchor[]): Anchor[] {
  return anchors.filter((anchor) => view.departements.includes(anchor.slug) || view.region.includes(anchor.region));
}

/** The items in the visible part of the map; those of a plan without locations by their préfecture. */
export function visibleItems(
  items: readonly Item[],
  view: Pick<ViewState, "bbox">,
  anchors: readonly Anchor[],
): readonly Item[] {
  const { bbox } = view;
  if (bbox === null) return items;
  const places = new Map(anchors.map(({ slug, place }) => [slug, place]));
  return items.filter(({ location, departement }) => {
    const place = location ?? places.get(departement?.slug ?? "");
    return place !== undefined && isInside(place, bbox);
  });
}

function departementCounts(
  values: readonly FacetValue[],
  view: ViewState,
  anchors: ReadonlyMap<string, Anchor>,
): Count[] {
  return values.flatMap(({ value, label, count }) => {
    const place = anchors.get(value)?.place;
    if (place === undefined) return [];
    return [{ filter: "departements", value, label, count, place, chosen: view.departements.includes(value) }];
  });
}

/** For small scales where départements would overlap: each région at the center of its préfectures. */
function regionCounts(values: readonly FacetValue[], view: ViewState, anchors: readonly Anchor[]): Count[] {
  return values.flatMap(({ value, label, count }) => {
    const towns = anchors.filter((anchor) => anchor.region === value).map((anchor) => anchor.place);
    if (towns.length === 0) return [];
    const mean = (axis: "lat" | "lon") => towns.reduce((sum, town) => sum + town[axis], 0) / towns.length;
    const place = { lat: mean("lat"), lon: mean("lon") };
    return [{ filter: "region", value, label, count, place, chosen: view.region.includes(value) }];
  });
}
