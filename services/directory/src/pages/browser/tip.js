/** The name of what is under the pointer. For eyes only: the list says the same to everyone. */

const EDGE = 4;

/** Above the mark, or below where there is no room; never over the edge of the map. */
export function showTip(
  /** @type {HTMLElement} */ tip,
  /** @type {import("./draw.js").Mark | null} */ mark,
  /** @type {number} */ mapWidth,
) {
  tip.hidden = mark === null;
  if (mark === null) return;
  tip.textContent = mark.label;
  const above = mark.y - mark.r - tip.offsetHeight - 6;
  const left = Math.max(EDGE, Math.min(mapWidth - tip.offsetWidth - 2 * EDGE, mark.x - tip.offsetWidth / 2));
  tip.style.left = `${left}px`;
  tip.style.top = `${above > 0 ? above : mark.y + mark.r + 6}px`;
}
