/**
 * The map: one large territory, and insets to select others. Owns viewport, pointer and keyboard; its content is passed
 * in. Redraws once per animation frame.
 */
import { drawTerritory } from "./renderer.js";
import { boundsAround, frameBounds } from "./viewport.js";
import { createInsets, insetViews, pressInset } from "./overseas-insets.js";
import { MAP_KEYS } from "./map-keys.js";
import { readPalette } from "./palette.js";
import { listenToPointers } from "./pointers.js";
import { placePoints } from "./marker-layout.js";
import { showTip } from "./tooltip.js";
import { TERRITORIES, planeBounds, territoryOf } from "./projection.js";

/** @typedef {import("./projection.js").Territory} Territory */
/** @typedef {import("./renderer.js").Mark} Mark */
/** @typedef {import("./renderer.js").Viewport} Viewport */
/** @typedef {import("./api.js").Item} Item */
/** @typedef {{ lat: number, lon: number }} Place */
/** @typedef {NonNullable<import("./view-state.js").ViewState["camera"]>} Camera */
/**
 * @typedef {object} MapContent
 * @property {readonly Item[]} points items to draw, if they have a location
 * @property {readonly import("./renderer.js").Count[]} counts per département; if not empty, replaces points
 * @property {readonly import("./renderer.js").Count[]} regionCounts per région
 * @property {{ lat: number, lon: number, radius: number } | null} circle
 * @property {Item | null} chosen
 * @property {readonly string[]} chosenDepartements codes
 */
/**
 * @typedef {object} MapOptions
 * @property {HTMLCanvasElement} canvas
 * @property {HTMLElement} insets one button per territory
 * @property {HTMLElement} tip
 * @property {import("./background.js").Background} background
 * @property {(place: Place) => void} onPick a location was clicked while picking
 * @property {() => void} onPickEnd picking was canceled
 * @property {(mark: Mark) => void} onMark
 * @property {() => void} onMove the viewport has changed
 */

/** On narrower maps the buttons at the top would cover the north. */
const NARROW = 520;
const MOST_PIXELS_PER_KM = 400;
/** Approximate distance from a préfecture to the farthest border of its département. */
const VICINITY_KM = 75;
const ROUND_KM = [1, 2, 5, 10, 20, 50, 100, 200];
/** Below this scale counts are per région. */
const REGIONS_BELOW = 0.42;

/** @typedef {ReturnType<typeof createMap>} FranceMap */

export function createMap(
  /** @type {MapOptions} */ { canvas, insets, tip, background, onPick, onPickEnd, onMark, onMove },
) {
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("the browser does not support canvas");
  /** @type {MapContent} */
  let layout = { points: [], counts: [], regionCounts: [], circle: null, chosen: null, chosenDepartements: [] };
  /** @type {Map<Territory, import("./renderer.js").PlanePoint[]>} */
  let placed = new Map();
  /** @type {Mark[]} */
  let marks = [];
  let territory = TERRITORIES[0];
  let [x, y, pixelsPerKm] = [0, 0, 0];
  let atHome = true;
  let picking = false;
  let frame = 0;
  let palette = readPalette();

  function size() {
    return { width: canvas.clientWidth, height: canvas.clientHeight };
  }

  /** The map in pixels, with the parts covered by buttons and insets. */
  function visibleArea() {
    const { width, height } = size();
    const covered = canvas.getBoundingClientRect().bottom - insets.getBoundingClientRect().top + 8;
    return { width, height, above: width < NARROW ? 44 : 0, below: insets.offsetHeight === 0 ? 0 : covered };
  }

  /** Shows the whole territory. */
  function goHome() {
    ({ x, y, pixelsPerKm } = frameBounds(planeBounds(territory), visibleArea()));
    atHome = true;
    draw();
  }

  function homeScale() {
    return frameBounds(planeBounds(territory), { ...size(), above: 0, below: 0 }).pixelsPerKm;
  }

  function moved() {
    atHome = false;
    draw();
    onMove();
  }

  /** Zooms around the plane position under (`px`, `py`). */
  function zoomAt(/** @type {number} */ factor, px = size().width / 2, py = size().height / 2) {
    const { width, height } = size();
    const scale = Math.min(MOST_PIXELS_PER_KM, Math.max(homeScale() * 0.5, pixelsPerKm * factor));
    const [dx, dy] = [px - width / 2, py - height / 2];
    x += dx / pixelsPerKm - dx / scale;
    y += dy / pixelsPerKm - dy / scale;
    pixelsPerKm = scale;
    moved();
  }

  function pan(/** @type {number} */ dx, /** @type {number} */ dy) {
    x -= dx / pixelsPerKm;
    y -= dy / pixelsPerKm;
    moved();
  }

  function setTerritory(/** @type {Territory} */ next) {
    territory = next;
    pressInset(insets, territory);
  }

  function choose(/** @type {Territory} */ next) {
    setTerritory(next);
    goHome();
    onMove();
  }

  function draw() {
    if (frame === 0) frame = requestAnimationFrame(paint);
  }

  function paint() {
    frame = 0;
    const { width, height } = size();
    const ratio = window.devicePixelRatio;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    context?.setTransform(ratio, 0, 0, ratio, 0, 0);
    marks = paintTerritory({ territory, left: 0, top: 0, width, height, x, y, pixelsPerKm, inset: false });
    for (const view of insetViews(insets, canvas)) paintTerritory(view);
  }

  function paintTerritory(/** @type {Viewport} */ view) {
    if (context === null) return [];
    const inside = (/** @type {Place} */ place) => territoryOf(place) === view.territory;
    const counts = pixelsPerKm < REGIONS_BELOW ? layout.regionCounts : layout.counts;
    const layer = {
      anchors: background.anchors.filter((anchor) => inside(anchor.place)),
      land: background.land(view.territory),
      chosenLand: background.landOf(view.territory, layout.chosenDepartements),
      points: placed.get(view.territory) ?? [],
      counts: counts.filter((count) => inside(count.place)),
      largestCount: Math.max(0, ...counts.map((count) => count.count)),
      circle: layout.circle !== null && inside(layout.circle) ? layout.circle : null,
      chosen: layout.chosen,
    };
    return drawTerritory(context, view, layer, palette);
  }

  function markAt(/** @type {number} */ px, /** @type {number} */ py) {
    const slack = 4;
    return marks.findLast((mark) => Math.hypot(mark.x - px, mark.y - py) <= mark.r + slack) ?? null;
  }

  function placeAt(/** @type {number} */ px, /** @type {number} */ py) {
    const { width, height } = size();
    return territory.unproject({ x: x + (px - width / 2) / pixelsPerKm, y: y + (py - height / 2) / pixelsPerKm });
  }

  function clicked(/** @type {number} */ px, /** @type {number} */ py) {
    if (picking) return onPick(placeAt(px, py));
    const mark = markAt(px, py);
    if (mark === null) return undefined;
    const parts = mark.spread * MOST_PIXELS_PER_KM > 60;
    if (mark.items.length > 1 && parts)
      return zoomAt(Math.max(2, 120 / (mark.spread * pixelsPerKm + 1)), mark.x, mark.y);
    return onMark(mark);
  }

  listenToPointers(canvas, {
    onDrag: pan,
    onPinch: zoomAt,
    onClick: clicked,
    onHover: (px, py) => {
      const mark = px === null || py === null ? null : markAt(px, py);
      canvas.style.cursor = picking ? "crosshair" : mark === null ? "grab" : "pointer";
      showTip(tip, mark, size().width);
    },
  });

  canvas.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
      zoomAt(2 ** ((-event.deltaY * lines) / 300), event.offsetX, event.offsetY);
    },
    { passive: false },
  );

  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = MAP_KEYS[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act({
      pan,
      zoom: zoomAt,
      home: () => {
        goHome();
        onMove();
      },
      enter: () => clicked(size().width / 2, size().height / 2),
      escape: () => picking && onPickEnd(),
    });
  });

  new ResizeObserver(() => (atHome ? goHome() : draw())).observe(canvas);
  addEventListener("themechange", () => {
    palette = readPalette();
    draw();
  });
  createInsets(insets, choose);
  setTerritory(territory);

  return {
    show(/** @type {MapContent} */ next) {
      if (next.points !== layout.points) placed = placePoints(next.points);
      layout = next;
      draw();
    },
    setPicking(/** @type {boolean} */ on) {
      picking = on;
      canvas.classList.toggle("picking", on);
    },
    zoom: (/** @type {number} */ factor) => zoomAt(factor),
    home() {
      goHome();
      onMove();
    },
    focus: () => canvas.focus(),
    /** Pans to a location; zooms in only if it is far away. */
    reveal(/** @type {Place} */ place) {
      const target = territoryOf(place);
      if (target !== territory) {
        setTerritory(target);
        goHome();
      }
      const point = territory.project(place);
      const { width, height } = size();
      const [dx, dy] = [(point.x - x) * pixelsPerKm, (point.y - y) * pixelsPerKm];
      if (Math.abs(dx) < width * 0.45 && Math.abs(dy) < height * 0.32) return draw();
      [x, y] = [point.x, point.y];
      return moved();
    },
    /** A round radius of about a twelfth of the visible width. */
    roundRadius() {
      const target = Math.min(size().width, size().height) / pixelsPerKm / 12;
      return ROUND_KM.find((km) => km * 1.4 >= target) ?? 200;
    },
    /** Fits the locations, or everything if there are none. Does not count as the user's viewport. */
    fit(/** @type {readonly Place[]} */ places) {
      const target = places.length === 0 ? territory : territoryOf(places[0]);
      if (target !== territory) setTerritory(target);
      const drawn = places.filter((place) => territoryOf(place) === territory).map(territory.project);
      if (drawn.length === 0 || territory !== TERRITORIES[0]) return goHome();
      ({ x, y, pixelsPerKm } = frameBounds(boundsAround(drawn, VICINITY_KM), visibleArea()));
      atHome = false;
      return draw();
    },
    /** Fits the whole circle. */
    fitCircle(/** @type {Place} */ place, /** @type {number} */ km) {
      setTerritory(territoryOf(place));
      ({ x, y, pixelsPerKm } = frameBounds(boundsAround([territory.project(place)], 1.4 * km), visibleArea()));
      pixelsPerKm = Math.min(MOST_PIXELS_PER_KM, pixelsPerKm);
      moved();
    },
    /** @returns {Camera | null} null while the initial territory is fully shown */
    camera() {
      if (atHome && territory === TERRITORIES[0]) return null;
      return { territory: territory.id, ...territory.unproject({ x, y }), zoom: Math.log2(pixelsPerKm) + 3 };
    },
    setCamera(/** @type {Camera | null} */ camera) {
      setTerritory(TERRITORIES.find((candidate) => candidate.id === camera?.territory) ?? TERRITORIES[0]);
      goHome();
      if (camera === null) return;
      ({ x, y } = territory.project(camera));
      pixelsPerKm = Math.min(MOST_PIXELS_PER_KM, 2 ** (camera.zoom - 3));
      atHome = false;
      draw();
    },
  };
}
