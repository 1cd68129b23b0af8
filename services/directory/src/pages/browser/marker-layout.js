/** Converts results to map content: points if loaded, else counts per département. Pure. */
import { TERRITORIES, isOffTheMap, territoryOf } from "./projection.js";
import { isCheap, isComplete } from "./results.js";

/**
 * @param {object} state
 * @param {"discovery" | "pro" | null} state.plan
 * @param {import("./results.js").Results | null} state.results
 * @param {import("./view-state.js").ViewState} state.view
 * @param {readonly import("./background.js").Anchor[]} state.anchors
 * @param {import("./api.js").Item | null} state.chosen
 */
export function layoutOf({ plan, results, view, anchors, chosen }) {
  const items = results?.items ?? [];
  const asPoints = plan === "pro" && results !== null && (isComplete(results) || isCheap(results));
  const bySlug = new Map(anchors.map((anchor) => [anchor.slug, anchor]));
  const counts = asPoints ? [] : departementCounts(results?.counts["departement"] ?? [], view, bySlug);
  const located = items.flatMap((item) => item.location ?? []);
  return {
    layout: {
      points: asPoints ? items : NOTHING,
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

/** The préfectures of the filtered départements and régions. */
export function chosenAnchors(/** @type {ViewState} */ view, /** @type {readonly Anchor[]} */ anchors) {
  return anchors.filter((anchor) => view.departements.includes(anchor.slug) || view.region.includes(anchor.region));
}

/** @typedef {readonly import("./api.js").FacetValue[]} FacetValues */
/** @typedef {import("./background.js").Anchor} Anchor */
/** @typedef {import("./view-state.js").ViewState} ViewState */
/** @typedef {import("./renderer.js").Count} Count */

/** @returns {Count[]} */
function departementCounts(
  /** @type {FacetValues} */ values,
  /** @type {ViewState} */ view,
  /** @type {ReadonlyMap<string, Anchor>} */ anchors,
) {
  return values.flatMap(({ value, label, count }) => {
    const place = anchors.get(value)?.place;
    if (place === undefined) return [];
    return [{ filter: "departements", value, label, count, place, chosen: view.departements.includes(value) }];
  });
}

/**
 * For small scales where départements would overlap: each région at the center of its préfectures. @returns {Count[]}
 */
function regionCounts(
  /** @type {FacetValues} */ values,
  /** @type {ViewState} */ view,
  /** @type {readonly Anchor[]} */ anchors,
) {
  return values.flatMap(({ value, label, count }) => {
    const towns = anchors.filter((anchor) => anchor.region === value).map((anchor) => anchor.place);
    if (towns.length === 0) return [];
    const mean = (/** @type {"lat" | "lon"} */ axis) => towns.reduce((sum, town) => sum + town[axis], 0) / towns.length;
    const place = { lat: mean("lat"), lon: mean("lon") };
    return [{ filter: "region", value, label, count, place, chosen: view.region.includes(value) }];
  });
}

/** A constant empty list, so that the map detects no change. @type {readonly import("./api.js").Item[]} */
const NOTHING = [];

/** Items with a location, on the plane of their territory. */
export function placePoints(/** @type {readonly import("./api.js").Item[]} */ items) {
  /** @type {Map<import("./projection.js").Territory, import("./renderer.js").PlanePoint[]>} */
  const placed = new Map(TERRITORIES.map((territory) => [territory, []]));
  for (const item of items) {
    if (item.location === null || item.location === undefined) continue;
    const territory = territoryOf(item.location);
    placed.get(territory)?.push({ ...territory.project(item.location), item });
  }
  return placed;
}
