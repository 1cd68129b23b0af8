/** The map: MapLibre with our style, sources and input. Its content is passed in. */
import { Map as MapLibre, Popup, ScaleControl, type GeoJSONSource, type StyleSpecification } from "maplibre-gl";
import type { Item } from "./api.ts";
import type { Background } from "./background.ts";
import type { MapContent } from "./layout.ts";
import { toData } from "./map-data.ts";
import { createMapInput, type Mark } from "./map-input.ts";
import { buildStyle, chosenLandFilter, isRaster } from "./map-style.ts";
import { readPalette } from "./palette.ts";
import { createPointFeed } from "./point-feed.ts";
import { drawShape, SHAPE_OPTIONS } from "./shapes.ts";
import type { Place } from "./view-state.ts";
import { createViewport, MAX_ZOOM } from "./viewport.ts";

export interface MapOptions {
  readonly container: HTMLElement;
  readonly insets: HTMLElement;
  readonly tip: HTMLElement;
  /** The attribution of the operator's style. */
  readonly credits: HTMLElement;
  readonly background: Background;
  readonly label: string;
  renderPopup(item: Item, onClose: () => void): HTMLElement;
  onPopupClose(): void;
  onPick(place: Place): void;
  onPickEnd(): void;
  onMark(mark: Mark): void;
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

/** Throws where WebGL is missing. */
export function createMap(options: MapOptions) {
  const { container, background, onMove } = options;
  let content = EMPTY;
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
    locale: { "Map.Title": options.label },
    // One finger scrolls the page on a phone, where the map is above the list.
    cooperativeGestures: matchMedia("(pointer: coarse) and (max-width: 719px)").matches,
  });
  map.touchZoomRotate.disableRotation();
  map.addControl(new ScaleControl({ maxWidth: 90 }), "bottom-right");
  const popup = new Popup({ closeButton: false, closeOnClick: false, focusAfterOpen: false, maxWidth: "280px" });
  const viewport = createViewport(map, { container, insets: options.insets, land: background.land, onMove });
  const input = createMapInput(map, { ...options, points: () => content.points, onHome: viewport.home });
  const feed = createPointFeed(
    () => map.getSource<GeoJSONSource>("points"),
    (busy) => container.setAttribute("aria-busy", String(busy)),
  );
  /** Per source, the data that it has. */
  const serialized = new Map<string, string>();

  map.on("styleimagemissing", ({ id }) => {
    const image = drawShape(id, readPalette());
    if (image !== null && !map.hasImage(id)) map.addImage(id, image, SHAPE_OPTIONS);
  });
  map.on("style.load", () => {
    serialized.clear();
    feed.restart();
    update();
  });
  addEventListener("themechange", () => {
    for (const id of map.listImages()) {
      const image = drawShape(id, readPalette());
      if (image !== null) map.updateImage(id, image);
    }
    update();
  });
  map.on("sourcedata", ({ sourceDataType }) => {
    if (sourceDataType === "metadata" && background.tiles?.attribution === null) showCredits();
  });
  addEventListener("beforeprint", () => map.redraw());
  if (background.tiles !== null && !isRaster(background.tiles.url))
    void loadBase(background.tiles.url).catch(() => undefined);

  /** Attributions are markup: only their text is shown. */
  function showCredits(): void {
    const texts = Object.keys(base?.sources ?? {}).flatMap((id) => map.getSource(id)?.attribution ?? []);
    options.credits.textContent = texts
      .map((text) =>
        text
          .replaceAll(/<[^>]*>/g, "")
          .replaceAll("&copy;", "©")
          .replaceAll("&amp;", "&"),
      )
      .join(" · ");
  }

  /** The style of the operator is the base of ours. Without it, the map stays as it is without tiles. */
  async function loadBase(url: string): Promise<void> {
    const response = await fetch(url);
    if (!response.ok) return;
    base = (await response.json()) as StyleSpecification;
    map.setStyle(style(), { diff: false });
  }

  /** Only what changed: MapLibre draws the tiles of a source again for equal data. */
  function update(): void {
    if (map.getSource("points") === undefined) return;
    feed.show(content.points);
    for (const [name, data] of Object.entries(toData(content))) {
      const text = JSON.stringify(data);
      if (serialized.get(name) === text) continue;
      serialized.set(name, text);
      map.getSource<GeoJSONSource>(name)?.setData(data);
    }
    for (const { id, paint } of style().layers)
      for (const [name, value] of Object.entries(paint ?? {})) map.setPaintProperty(id, name, value);
    map.setFilter("chosen-land", chosenLandFilter(content));
  }

  return {
    ...viewport,
    setPicking: input.setPicking,
    focus: () => map.getCanvas().focus(),
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
      popup.setLngLat([place.lon, place.lat]).setDOMContent(options.renderPopup(next.chosen, close)).addTo(map);
    },
  };
}
