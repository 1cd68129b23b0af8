/** Clickable marks: counts per département, clusters and items; computed as circles, then drawn. */
import { cellWidth, clusterPoints } from "./clusters.js";
import { toScreen } from "./projection.js";

/** @typedef {import("./renderer.js").Mark} Mark */
/** @typedef {import("./renderer.js").Count} Count */
/** @typedef {import("./renderer.js").Viewport} Viewport */
/** @typedef {import("./renderer.js").MarkerLayer} MarkerLayer */
/** @typedef {import("./renderer.js").Palette} Palette */

/** @returns {Mark[]} */
export function countMarks(/** @type {Viewport} */ view, /** @type {MarkerLayer} */ { counts, largestCount }) {
  // Limited by the distance of neighbors (about 75 km in the metropole), and not huge when all counts are small.
  const most = view.inset ? 13 : Math.min(26, Math.max(12, 26 * view.pixelsPerKm));
  const several = view.inset && counts.length > 3;
  return (several ? [sumOf(counts, view)] : counts)
    .map((count) => {
      const at = toScreen(view, view.territory.project(count.place));
      const least = view.inset ? 7 : 8;
      const digits = short(count.count).length;
      const share = Math.sqrt(Math.min(1, count.count / Math.max(20, largestCount)));
      const r = Math.max(4 + 3.4 * digits, least + (most - least) * share);
      return {
        ...(view.inset ? clampInside(at, r, view) : at),
        r,
        items: [],
        spread: 0,
        count,
        label: `${count.label} : ${count.count}`,
      };
    })
    .sort((one, other) => other.r - one.r);
}

/** The inset of the metropole is too small for départements: one total instead. @returns {Count} */
function sumOf(/** @type {readonly Count[]} */ counts, /** @type {Viewport} */ { territory, x, y }) {
  return {
    ...counts[0],
    label: territory.name,
    count: counts.reduce((sum, { count }) => sum + count, 0),
    chosen: counts.some((count) => count.chosen),
    place: territory.unproject({ x, y }),
  };
}

/** Moves a count near an inset's border inside instead of clipping it. @returns {{ x: number, y: number }} */
function clampInside(
  /** @type {{ x: number, y: number }} */ { x, y },
  /** @type {number} */ r,
  /** @type {Viewport} */ { left, top, width, height },
) {
  const edge = r + 2;
  return {
    x: Math.max(left + edge, Math.min(left + width - edge, x)),
    y: Math.max(top + edge, Math.min(top + height - edge, y)),
  };
}

/** @returns {Mark[]} */
export function pointMarks(/** @type {Viewport} */ view, /** @type {MarkerLayer} */ { points }) {
  const margin = 30 / view.pixelsPerKm;
  const [halfX, halfY] = [view.width / 2 / view.pixelsPerKm + margin, view.height / 2 / view.pixelsPerKm + margin];
  const seen = points.filter((point) => Math.abs(point.x - view.x) < halfX && Math.abs(point.y - view.y) < halfY);
  const cell = cellWidth(points.length, view.pixelsPerKm);
  // Neighbors are a cell apart on average: larger circles would overlap.
  const most = Math.max(9, 0.45 * cell * view.pixelsPerKm);
  return clusterPoints(seen, cell).map((cluster) => {
    const several = cluster.items.length > 1;
    return {
      ...toScreen(view, cluster),
      r: several ? Math.min(most, 9 + 1.4 * Math.log2(cluster.items.length)) : 5.5,
      items: cluster.items,
      spread: cluster.spread,
      count: null,
      label: several
        ? cluster.items
            .slice(0, 4)
            .map((item) => item.title)
            .join(" · ") + (cluster.items.length > 4 ? " …" : "")
        : cluster.items[0].title,
    };
  });
}

export function drawMarks(
  /** @type {CanvasRenderingContext2D} */ context,
  /** @type {Viewport} */ view,
  /** @type {{ marks: readonly Mark[], layer: MarkerLayer, palette: Palette }} */ { marks, layer, palette },
) {
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (const mark of marks) {
    const chosen = mark.count?.chosen === true || (layer.chosen !== null && mark.items.includes(layer.chosen));
    const number = mark.count?.count ?? (mark.items.length > 1 ? mark.items.length : null);
    context.beginPath();
    shape(context, mark);
    context.fillStyle = palette.accent;
    context.globalAlpha = mark.count === null ? 1 : 0.9;
    context.fill();
    context.globalAlpha = 1;
    context.strokeStyle = chosen ? palette.ink : palette.panel;
    context.lineWidth = chosen ? 3 : 1.5;
    context.stroke();
    if (number === null) continue;
    context.fillStyle = palette.onAccent;
    context.font = `600 ${mark.r < 11 ? 10 : 11}px ${palette.sans}`;
    context.fillText(short(number), mark.x, mark.y + 0.5);
  }
  context.textAlign = "start";
  if (!view.inset) drawChosenName(context, { marks, layer, palette });
}

function drawChosenName(
  /** @type {CanvasRenderingContext2D} */ context,
  /** @type {{ marks: readonly Mark[], layer: MarkerLayer, palette: Palette }} */ { marks, layer, palette },
) {
  const mark = marks.find((candidate) => layer.chosen !== null && candidate.items.includes(layer.chosen));
  if (mark === undefined || layer.chosen === null) return;
  context.font = `600 12px ${palette.sans}`;
  context.strokeStyle = palette.panel;
  context.lineWidth = 4;
  context.fillStyle = palette.ink;
  context.strokeText(layer.chosen.title, mark.x + mark.r + 5, mark.y);
  context.fillText(layer.chosen.title, mark.x + mark.r + 5, mark.y);
}

/**
 * Shape, not color, distinguishes types: circle for a place, square for an actor, diamond for an article; clusters and
 * counts are circles.
 */
function shape(/** @type {CanvasRenderingContext2D} */ context, /** @type {Mark} */ { x, y, r, items }) {
  const type = items.length === 1 ? items[0].type : "";
  if (type === "actor") context.rect(x - r + 0.5, y - r + 0.5, 2 * r - 1, 2 * r - 1);
  else if (type === "article") {
    context.moveTo(x, y - r - 1);
    context.lineTo(x + r + 1, y);
    context.lineTo(x, y + r + 1);
    context.lineTo(x - r - 1, y);
    context.closePath();
  } else context.arc(x, y, r, 0, 2 * Math.PI);
}

function short(/** @type {number} */ number) {
  if (number < 1000) return String(number);
  return number < 10_000 ? `${(number / 1000).toFixed(1)}k` : `${Math.round(number / 1000)}k`;
}
