/**
 * Draws one territory on a canvas: sea, graticule, outlines, anchors, circle, counts or clusters, the selected item.
 * Returns the clickable marks; otherwise pure.
 */
import { circleAround, planeBounds, toScreen } from "./projection.js";
import { countMarks, drawMarks, pointMarks } from "./markers.js";

/** @typedef {import("./projection.js").Territory} Territory */
/** @typedef {import("./api.js").Item} Item */
/** @typedef {{ territory: Territory, left: number, top: number, width: number, height: number, x: number, y: number, pixelsPerKm: number, inset: boolean }} Viewport `x`, `y`: plane position of its middle */
/** @typedef {{ filter: "departements" | "region", value: string, label: string, count: number, chosen: boolean, place: { lat: number, lon: number } }} Count */
/** @typedef {{ x: number, y: number, item: Item }} PlanePoint */
/**
 * @typedef {object} MarkerLayer
 * @property {readonly { place: { lat: number, lon: number }, town: string, isCapital: boolean }[]} anchors
 * @property {Path2D | null} land of this territory
 * @property {Path2D | null} chosenLand
 * @property {readonly PlanePoint[]} points of this territory
 * @property {readonly Count[]} counts of this territory
 * @property {number} largestCount over all territories
 * @property {{ lat: number, lon: number, radius: number } | null} circle
 * @property {Item | null} chosen
 */
/** @typedef {{ sea: string, land: string, border: string, line: string, label: string, ink: string, accent: string, onAccent: string, chosen: string, panel: string, sans: string }} Palette */
/** @typedef {{ x: number, y: number, r: number, items: readonly Item[], spread: number, count: Count | null, label: string }} Mark */

/** Radius drawn as land around each préfecture without outlines. */
const VICINITY_KM = 58;

/** @returns {Mark[]} */
export function drawTerritory(
  /** @type {CanvasRenderingContext2D} */ context,
  /** @type {Viewport} */ view,
  /** @type {MarkerLayer} */ layer,
  /** @type {Palette} */ palette,
) {
  context.save();
  context.beginPath();
  if (view.inset) context.roundRect(view.left, view.top, view.width, view.height, 6);
  else context.rect(view.left, view.top, view.width, view.height);
  context.clip();
  context.fillStyle = palette.sea;
  context.fillRect(view.left, view.top, view.width, view.height);
  drawGraticule(context, view, palette);
  drawLand(context, view, layer, palette);
  drawCircle(context, view, layer, palette);
  const marks = layer.counts.length > 0 ? countMarks(view, layer) : pointMarks(view, layer);
  drawAnchors(context, view, { layer, marks, palette });
  drawMarks(context, view, { marks, layer, palette });
  context.restore();
  return marks;
}

/** Parallels and meridians, so that a territory without outlines still looks like a map. */
function drawGraticule(
  /** @type {CanvasRenderingContext2D} */ context,
  /** @type {Viewport} */ view,
  /** @type {Palette} */ palette,
) {
  const kilometres = Math.min(view.width, view.height) / view.pixelsPerKm;
  const step = [5, 2, 1, 0.5, 0.2, 0.1].find((degrees) => degrees * 111 * 2.2 < kilometres) ?? 0.05;
  const { project, unproject } = view.territory;
  const [halfX, halfY] = [view.width / 2 / view.pixelsPerKm, view.height / 2 / view.pixelsPerKm];
  const corners = [-1, 0, 1].flatMap((sx) =>
    [-1, 0, 1].map((sy) => unproject({ x: view.x + sx * halfX, y: view.y + sy * halfY })),
  );
  const range = (/** @type {number[]} */ values) => [
    Math.floor(Math.min(...values) / step),
    Math.ceil(Math.max(...values) / step),
  ];
  const [west, east] = range(corners.map((corner) => corner.lon));
  const [south, north] = range(corners.map((corner) => corner.lat));
  if ((east - west) * (north - south) > 4000) return;
  context.beginPath();
  for (let lon = west; lon <= east; lon += 1)
    trace(context, view, [south, north], (lat) => project({ lat: lat * step, lon: lon * step }));
  for (let lat = south; lat <= north; lat += 1)
    trace(context, view, [west, east], (lon) => project({ lat: lat * step, lon: lon * step }));
  context.strokeStyle = palette.line;
  context.globalAlpha = 0.55;
  context.lineWidth = 1;
  context.stroke();
  context.globalAlpha = 1;
}

function trace(
  /** @type {CanvasRenderingContext2D} */ context,
  /** @type {Viewport} */ view,
  /** @type {number[]} */ [from, to],
  /** @type {(value: number) => { x: number, y: number }} */ at,
) {
  const pieces = 12;
  for (let piece = 0; piece <= pieces; piece += 1) {
    const { x, y } = toScreen(view, at(from + ((to - from) * piece) / pieces));
    if (piece === 0) context.moveTo(x, y);
    else context.lineTo(x, y);
  }
}

function drawLand(
  /** @type {CanvasRenderingContext2D} */ context,
  /** @type {Viewport} */ view,
  /** @type {MarkerLayer} */ layer,
  /** @type {Palette} */ palette,
) {
  if (layer.land === null) return drawVicinity(context, view, { layer, palette });
  const middle = toScreen(view, { x: 0, y: 0 });
  context.save();
  context.translate(middle.x, middle.y);
  context.scale(view.pixelsPerKm, view.pixelsPerKm);
  context.fillStyle = palette.land;
  context.fill(layer.land, "evenodd");
  if (layer.chosenLand !== null) {
    context.fillStyle = palette.chosen;
    context.fill(layer.chosenLand, "evenodd");
  }
  context.strokeStyle = palette.border;
  context.lineWidth = (view.inset ? 0.7 : 1) / view.pixelsPerKm;
  context.lineJoin = "round";
  context.stroke(layer.land);
  context.restore();
}

function drawCircle(
  /** @type {CanvasRenderingContext2D} */ context,
  /** @type {Viewport} */ view,
  /** @type {MarkerLayer} */ { circle },
  /** @type {Palette} */ palette,
) {
  if (circle === null) return;
  context.beginPath();
  for (const place of circleAround(circle, circle.radius)) {
    const { x, y } = toScreen(view, view.territory.project(place));
    context.lineTo(x, y);
  }
  context.closePath();
  context.globalAlpha = 0.1;
  context.fillStyle = palette.accent;
  context.fill();
  context.globalAlpha = 1;
  context.strokeStyle = palette.accent;
  context.lineWidth = 1.5;
  context.setLineDash([5, 4]);
  context.stroke();
  context.setLineDash([]);
  const { x, y } = toScreen(view, view.territory.project(circle));
  context.beginPath();
  for (const [dx, dy] of [
    [6, 0],
    [0, 6],
  ]) {
    context.moveTo(x - dx, y - dy);
    context.lineTo(x + dx, y + dy);
  }
  context.stroke();
}

/** Areas around préfectures as orientation when there are no outlines; not a coastline. */
function drawVicinity(
  /** @type {CanvasRenderingContext2D} */ context,
  /** @type {Viewport} */ view,
  /** @type {{ layer: MarkerLayer, palette: Palette }} */ { layer, palette },
) {
  context.fillStyle = palette.land;
  if (view.territory.id !== "metropole") return drawIsland(context, view);
  for (const { place } of layer.anchors) {
    const { x, y } = toScreen(view, view.territory.project(place));
    context.beginPath();
    context.arc(x, y, VICINITY_KM * view.pixelsPerKm, 0, 2 * Math.PI);
    context.fill();
  }
}

/** An overseas département as the ellipse in its box. */
function drawIsland(/** @type {CanvasRenderingContext2D} */ context, /** @type {Viewport} */ view) {
  const { x0, y0, x1, y1 } = planeBounds(view.territory);
  const { x, y } = toScreen(view, { x: (x0 + x1) / 2, y: (y0 + y1) / 2 });
  const [across, down] = [((x1 - x0) / 2) * view.pixelsPerKm, ((y1 - y0) / 2) * view.pixelsPerKm];
  context.beginPath();
  context.ellipse(x, y, 0.92 * across, 0.92 * down, 0, 0, 2 * Math.PI);
  context.fill();
}

/** Préfectures as small dots with as many labels as fit, capitals of régions first. */
function drawAnchors(
  /** @type {CanvasRenderingContext2D} */ context,
  /** @type {Viewport} */ view,
  /** @type {{ layer: MarkerLayer, marks: readonly Mark[], palette: Palette }} */ { layer, marks, palette },
) {
  const anchors = layer.anchors
    .map((anchor) => ({ ...anchor, ...toScreen(view, view.territory.project(anchor.place)) }))
    .filter(({ x, y }) => x > view.left && x < view.left + view.width && y > view.top && y < view.top + view.height);
  context.fillStyle = palette.border;
  for (const { x, y } of anchors) {
    context.beginPath();
    context.arc(x, y, 2, 0, 2 * Math.PI);
    context.fill();
  }
  if (view.inset) return;
  context.font = `11px ${palette.sans}`;
  context.textBaseline = "middle";
  context.fillStyle = palette.label;
  context.strokeStyle = layer.land === null ? palette.sea : palette.land;
  context.lineWidth = 3;
  context.lineJoin = "round";
  const taken = marks.map(({ x, y, r }) => ({ x0: x - r, y0: y - r, x1: x + r, y1: y + r }));
  for (const { x, y, town } of anchors.sort((one, other) => Number(other.isCapital) - Number(one.isCapital))) {
    const box = { x0: x + 4, y0: y - 8, x1: x + 10 + context.measureText(town).width, y1: y + 8 };
    if (box.x1 > view.left + view.width || taken.some((other) => overlap(box, other))) continue;
    taken.push(box);
    context.strokeText(town, x + 6, y);
    context.fillText(town, x + 6, y);
  }
}

/** @typedef {{ x0: number, y0: number, x1: number, y1: number }} Box */
function overlap(/** @type {Box} */ one, /** @type {Box} */ other) {
  return one.x0 < other.x1 && other.x0 < one.x1 && one.y0 < other.y1 && other.y0 < one.y1;
}
