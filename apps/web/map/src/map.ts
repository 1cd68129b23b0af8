/**
 * The map: MapLibre with our style, sources and input. Its content is passed in. Moves of the program are `quiet`: only
 * those of the visitor are remembered in the URL.
 */
import {
  Map as MapLibre,
  Popup,
  ScaleControl,
  type GeoJSONSource,
  type LngLatBoundsLike,
  type MapGeoJSONFeature,
  type PointLike,
  type StyleSpecification,
} from "maplibre-gl";
import type { Item } from "./api.ts";
import type { Background } from "./background.ts";
import { createInsets, pressInset } from "./insets.ts";
import type { Count, MapContent } from "./layout.ts";
import { toData } from "./map-data.ts";
import { buildStyle, chosenLandFilter, CLUSTER_MAX_ZOOM, isRaster, MARK_LAYERS } from "./map-style.ts";
import { readPalette } from "./palette.ts";
import { drawShape, SHAPE_OPTIONS } from "./shapes.ts";
import { boxAround, METROPOLE, pixelsPerKm, TERRITORIES, territoryOf, toCamera, toMapZoom } from "./territories.ts";
import type { Territory } from "./territories.ts";
import type { Box, Camera, Place } from "./view-state.ts";

export type Mark = { readonly items: readonly Item[] } | { readonly count: Pick<Count, "filter" | "value"> };

export interface MapOptions {
  readonly container: HTMLElement;
  /** One button per territory. */
  readonly insets: HTMLElement;
  readonly tip: HTMLElement;
  readonly background: Background;
  readonly label: string;
  renderPopup(item: Item, onClose: () => void): HTMLElement;
  onPopupClose(): void;
  /** A location was clicked while picking. */
  onPick(place: Place): void;
  onPickEnd(): void;
  onMark(mark: Mark): void;
  /** The visitor moved the map. */
  onMove(): void;
}

export type FranceMap = ReturnType<typeof createMap>;

const EMPTY: MapContent = {
  points: [],
  counts: [],
  regionCounts: [],
  circle: null,
  chosen: null,
  chosenDepartements: [],
};
/** Approximate distance from a préfecture to the farthest border of its département. */
export const VICINITY_KM = 75;
const ROUND_KM = [1, 2, 5, 10, 20, 50, 100, 200];
const MARGIN = 24;
/** On narrower maps the buttons at the top would cover the north. */
const NARROW = 520;
const MAX_ZOOM = 18;
const FIT_MAX_ZOOM = 12;
/** Pixels around the pointer in which a mark counts as clicked. */
const SLACK = 5;
const CLUSTER_LEAVES_MAX = 500;
const QUIET = { quiet: true };
const PANS: Readonly<Record<string, [number, number]>> = {
  ArrowLeft: [-60, 0],
  ArrowRight: [60, 0],
  ArrowUp: [0, -60],
  ArrowDown: [0, 60],
};
const ZOOMS: Readonly<Record<string, number>> = { "+": 0.6, "=": 0.6, "-": -0.6 };

/** Throws where WebGL is missing. */
export function createMap(options: MapOptions) {
  const { container, insets, tip, background, renderPopup, onPick, onPickEnd, onMark, onMove } = options;
  let content = EMPTY;
  let territory: Territory = METROPOLE;
  /** The box of the last fit, which a new size of the map shows as well. */
  let fitted: Box = METROPOLE.box;
  let moved = false;
  let picking = false;
  let base: StyleSpecification | null = null;
  const style = () => buildStyle({ palette: readPalette(), background, content, base });
  const map = new MapLibre({
    container,
    style: style(),
    attributionControl: false,
    renderWorldCopies: false,
    dragRotate: false,
    // Our keys move at once: a second key would otherwise start from the middle of the animation of the first.
    keyboard: false,
    pitchWithRotate: false,
    touchPitch: false,
    trackResize: false,
    maxZoom: MAX_ZOOM,
    bounds: toBounds(METROPOLE.box),
    fitBoundsOptions: { padding: MARGIN },
    locale: { "Map.Title": options.label },
    // One finger scrolls the page on a phone, where the map is above the list.
    cooperativeGestures: matchMedia("(pointer: coarse) and (max-width: 719px)").matches,
  });
  map.touchZoomRotate.disableRotation();
  map.addControl(new ScaleControl({ maxWidth: 90 }), "bottom-right");
  const popup = new Popup({ closeButton: false, closeOnClick: false, focusAfterOpen: false, maxWidth: "280px" });

  map.on("styleimagemissing", ({ id }) => {
    const image = drawShape(id, readPalette());
    if (image !== null && !map.hasImage(id)) map.addImage(id, image, SHAPE_OPTIONS);
  });
  addEventListener("themechange", () => map.setStyle(style(), { diff: false }));
  map.on("style.load", () => update());

  function update(): void {
    if (!map.isStyleLoaded() && map.getSource("points") === undefined) return;
    for (const [name, data] of Object.entries(toData(content))) map.getSource<GeoJSONSource>(name)?.setData(data);
    const { layers } = style();
    for (const id of ["regions", "counts"]) {
      const layer = layers.find((candidate) => candidate.id === id);
      if (layer?.type === "circle") map.setPaintProperty(id, "circle-radius", layer.paint?.["circle-radius"]);
    }
    map.setPaintProperty("chosen", "circle-stroke-width", content.chosen === null ? 0 : 3);
    map.setFilter("chosen-land", chosenLandFilter(content));
  }

  /** The style of the operator is the base of ours. Without it, the map stays as it is without tiles. */
  async function loadBase(url: string): Promise<void> {
    const response = await fetch(url);
    if (!response.ok) return;
    base = (await response.json()) as StyleSpecification;
    map.setStyle(style(), { diff: false });
  }
  if (background.tiles !== null && !isRaster(background.tiles.url))
    void loadBase(background.tiles.url).catch(() => undefined);

  const size = () => ({ width: container.clientWidth, height: container.clientHeight });

  /** The parts covered by buttons and insets. */
  function padding() {
    const below = insets.offsetHeight + MARGIN;
    const { width, height } = size();
    const isLow = height < 3 * below;
    return {
      top: width < NARROW ? 52 : MARGIN,
      bottom: isLow ? MARGIN : below,
      left: Math.min(MARGIN, width / 8),
      right: Math.min(MARGIN, width / 8),
    };
  }

  function setTerritory(next: Territory): void {
    territory = next;
    pressInset(insets, territory);
  }

  function fitBox(box: Box): void {
    fitted = box;
    map.fitBounds(toBounds(box), { padding: padding(), maxZoom: FIT_MAX_ZOOM, animate: false }, QUIET);
  }

  /** Shows the whole territory. */
  function goHome(): void {
    fitBox(territory.box);
    moved = false;
  }

  function choose(next: Territory): void {
    setTerritory(next);
    goHome();
    moved = next !== METROPOLE;
    onMove();
  }

  map.on("moveend", (event: { readonly quiet?: boolean }) => {
    if (event.quiet === true) return;
    moved = true;
    const { lat, lng } = map.getCenter();
    setTerritory(territoryOf({ lat, lon: lng }));
    onMove();
  });

  function marksAt({ x, y }: { readonly x: number; readonly y: number }): MapGeoJSONFeature[] {
    const layers = MARK_LAYERS.filter((id) => map.getLayer(id) !== undefined);
    const box: [PointLike, PointLike] = [
      [x - SLACK, y - SLACK],
      [x + SLACK, y + SLACK],
    ];
    return map.queryRenderedFeatures(box, { layers });
  }

  const itemsOf = (features: readonly { readonly properties: object | null }[]): Item[] => {
    const indexes = new Set(features.map(({ properties }) => Number(Object(properties)["index"])));
    return [...indexes].flatMap((index) => content.points[index] ?? []);
  };

  async function openCluster(feature: MapGeoJSONFeature): Promise<void> {
    const source = map.getSource<GeoJSONSource>("points");
    const id = Number(feature.properties["cluster_id"]);
    if (source === undefined) return;
    const items = itemsOf(await source.getClusterLeaves(id, CLUSTER_LEAVES_MAX, 0));
    const places = items.flatMap(({ location }) => location ?? []);
    const [first] = places;
    if (first === undefined) return;
    const zoom = await source.getClusterExpansionZoom(id);
    // Items at one address stay together at any zoom: the list shows them.
    if (zoom > CLUSTER_MAX_ZOOM) onMark({ items });
    map.easeTo({ center: [first.lon, first.lat], zoom: Math.min(zoom, CLUSTER_MAX_ZOOM + 1) });
  }

  function clicked(point: { readonly x: number; readonly y: number }): void {
    if (picking) {
      const { lat, lng } = map.unproject([point.x, point.y]);
      return onPick({ lat, lon: lng });
    }
    const [top, ...others] = marksAt(point);
    if (top === undefined) return undefined;
    const { filter, value, cluster } = top.properties;
    if (cluster === true) return void openCluster(top);
    if (filter === "departements" || filter === "region") return onMark({ count: { filter, value: String(value) } });
    return onMark({ items: itemsOf([top, ...others.filter(({ layer }) => layer.id === "points")]) });
  }

  map.on("click", ({ point }) => clicked(point));
  map.on("mousemove", ({ point }) => {
    const [mark] = marksAt(point);
    map.getCanvas().style.cursor = picking ? "crosshair" : mark === undefined ? "" : "pointer";
    const { title, label, count, point_count: clustered } = mark?.properties ?? {};
    const text = title ?? (label === undefined ? clustered : `${String(label)}: ${String(count)}`);
    tip.hidden = text === undefined;
    tip.textContent = text === undefined ? "" : String(text);
    tip.style.left = `${Math.max(4, Math.min(size().width - tip.offsetWidth - 8, point.x - tip.offsetWidth / 2))}px`;
    tip.style.top = `${point.y > 50 ? point.y - tip.offsetHeight - 14 : point.y + 18}px`;
  });
  map.on("mouseout", () => (tip.hidden = true));
  map.getCanvas().addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { width, height } = size();
    const pan = PANS[event.key];
    const levels = ZOOMS[event.key];
    if (pan !== undefined) map.panBy(pan, { animate: false });
    else if (levels !== undefined) map.jumpTo({ zoom: map.getZoom() + levels });
    else if (event.key === "Enter") clicked({ x: width / 2, y: height / 2 });
    else if (event.key === "Escape" && picking) onPickEnd();
    else if (event.key === "0" || event.key === "Home") choose(territory);
    else return;
    event.preventDefault();
  });

  new ResizeObserver(() => {
    map.resize(QUIET);
    if (!moved) fitBox(fitted);
  }).observe(container);
  addEventListener("beforeprint", () => map.redraw());
  createInsets(insets, background.land, choose);
  setTerritory(territory);

  return {
    show(next: MapContent): void {
      const before = content.chosen;
      content = next;
      update();
      if (next.chosen === before) return;
      popup.remove();
      const place = next.chosen?.location;
      if (next.chosen === null || place == null) return;
      const close = () => {
        popup.remove();
        options.onPopupClose();
        map.getCanvas().focus({ preventScroll: true });
      };
      popup.setLngLat([place.lon, place.lat]).setDOMContent(renderPopup(next.chosen, close)).addTo(map);
    },
    setPicking(on: boolean): void {
      picking = on;
      map.getCanvas().style.cursor = on ? "crosshair" : "";
    },
    zoom: (levels: number) => void map.zoomTo(map.getZoom() + levels),
    home: () => choose(territory),
    focus: () => map.getCanvas().focus(),
    /** Pans to a location that is not visible. */
    reveal({ lat, lon }: Place): void {
      setTerritory(territoryOf({ lat, lon }));
      const point = map.project([lon, lat]);
      const { width, height } = size();
      const isVisible =
        Math.abs(point.x - width / 2) < width * 0.45 && point.y > height * 0.3 && point.y < height * 0.82;
      if (!isVisible) map.easeTo({ center: [lon, lat] });
    },
    /** A round radius of about a twelfth of the visible width. */
    roundRadius(): number {
      const target = Math.min(size().width, size().height) / pixelsPerKm(map.getZoom(), map.getCenter().lat) / 12;
      return ROUND_KM.find((km) => km * 1.4 >= target) ?? 200;
    },
    /** Fits the locations, or everything if there are none. Does not count as the visitor's view. */
    fit(places: readonly Place[], km: number): void {
      const target = places.some((place) => territoryOf(place) === METROPOLE) || places.length === 0;
      setTerritory(target ? METROPOLE : territoryOf(places[0]));
      const drawn = places.filter((place) => territoryOf(place) === territory);
      goHome();
      if (drawn.length > 0 && territory === METROPOLE) fitBox(boxAround(drawn, km));
      moved = false;
    },
    /** Fits the whole circle. */
    fitCircle(place: Place, km: number): void {
      setTerritory(territoryOf(place));
      fitBox(boxAround([place], 1.15 * km));
      moved = true;
      onMove();
    },
    fitBox(box: Box): void {
      fitBox(box);
      moved = true;
    },
    bounds(): Box {
      const bounds = map.getBounds();
      const [west, east] = [bounds.getWest(), bounds.getEast()].map((lon) => Math.max(-180, Math.min(180, lon)));
      return [west, Math.max(-90, bounds.getSouth()), east, Math.min(90, bounds.getNorth())];
    },
    /** Null while the metropole is shown as a whole. */
    camera(): Camera | null {
      const { lat, lng } = map.getCenter();
      return moved ? toCamera({ lat, lon: lng }, map.getZoom()) : null;
    },
    setCamera(camera: Camera | null): void {
      setTerritory(TERRITORIES.find(({ id }) => id === camera?.territory) ?? METROPOLE);
      goHome();
      if (camera === null) return;
      map.jumpTo({ center: [camera.lon, camera.lat], zoom: Math.min(MAX_ZOOM, toMapZoom(camera)) }, QUIET);
      moved = true;
    },
  };
}

function toBounds([west, south, east, north]: Box): LngLatBoundsLike {
  return [west, south, east < west ? east + 360 : east, north];
}
