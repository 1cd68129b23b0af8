/** From results to what the map shows: points when they are here, counts per département when they are not. Pure. */
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
export function sceneOf({ plan, results, view, anchors, chosen }) {
  const items = results?.items ?? [];
  const asPoints = plan === "pro" && results !== null && (isComplete(results) || isCheap(results));
  const bySlug = new Map(anchors.map((anchor) => [anchor.slug, anchor]));
  const counts = asPoints
    ? []
    : (results?.counts["departement"] ?? []).flatMap(({ value, label, count }) => {
        const anchor = bySlug.get(value);
        if (anchor === undefined) return [];
        return [{ code: anchor.code, label, count, place: anchor.place, chosen: view.departements.includes(value) }];
      });
  const located = items.flatMap((item) => item.location ?? []);
  return {
    shown: {
      points: asPoints ? items : NOTHING,
      counts,
      circle: view.near !== null && plan !== "discovery" ? { ...view.near, radius: view.radius } : null,
      chosen,
      chosenDepartements: view.departements.flatMap((slug) => bySlug.get(slug)?.code ?? []),
    },
    told: {
      plan,
      total: results?.total ?? 0,
      asPoints,
      counted: counts.reduce((sum, count) => sum + count.count, 0),
      without: items.length - located.length,
      off: located.filter(isOffTheMap).length,
    },
  };
}

/** One and the same empty list, so that the map sees that nothing has changed. @type {readonly import("./api.js").Item[]} */
const NOTHING = [];

/** Items with a location, on the plane of the territory that shows them. */
export function placePoints(/** @type {readonly import("./api.js").Item[]} */ items) {
  /** @type {Map<import("./projection.js").Territory, import("./draw.js").PlanePoint[]>} */
  const placed = new Map(TERRITORIES.map((territory) => [territory, []]));
  for (const item of items) {
    if (item.location === null || item.location === undefined) continue;
    const territory = territoryOf(item.location);
    placed.get(territory)?.push({ ...territory.project(item.location), item });
  }
  return placed;
}
