/** The tooltip of a mark. Visual only: the list has the same content for everyone. */

const EDGE = 4;

/** Above the mark, or below when space is short; always inside the map. */
export function showTip(
  /** @type {HTMLElement} */ tip,
  /** @type {import("./renderer.js").Mark | null} */ mark,
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
