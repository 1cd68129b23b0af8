/** The map: MapLibre with our style, sources and input. Its content is passed in. */
import { byId, el } from "/docs/dom.js";
import { Map as MapLibre, Popup, ScaleControl, type GeoJSONSource, type StyleSpecification } from "maplibre-gl";
import type { Background } from "./background.ts";
import type { Translator } from "./i18n.ts";
import type { MapContent } from "./layout.ts";
import { EMPTY, toData } from "./map-data.ts";
import { createMapInput, type Mark } from "./map-input.ts";
import { buildStyle, chosenLandFilter, isRaster } from "./map-style.ts";
import { readPalette } from "./palette.ts";
import { createPointFeed } from "./point-feed.ts";
import { renderPopup } from "./popup.ts";
import { drawShape, SHAPE_OPTIONS } from "./shapes.ts";
import type { Place } from "./view-state.ts";
import { createViewport, MAX_ZOOM } from "./viewport.ts";

export interface MapOptions {
  readonly translator: Translator;
  readonly background: Background;
  onPopupClose(): void;
  /** @param radius a round one for this zoom. */
  onPick(place: Place, radius: number): void;
  onPickEnd(): void;
  onMark(mark: Mark): void;
  onMove(): void;
}

/** A slow tile server, or points that still arrive, must not hold back the map. */
const DRAWN_MS = 3_000;

export type FranceMap = ReturnType<typeof createMap>;

/** Throws if WebGL is missing. */
export function createMap(options: MapOptions) {
  const { translator, background, onMove } = options;
  const [container, insets] = [byId("map", HTMLElement), byId("insets", HTMLElement)];
  let content = EMPTY;
  let base: StyleSpecification | null = null;
  const style = () => buildStyle({ palette: readPalette(), background, content, base });
  // Above the static map, and out of reach until it is drawn.
  const element = el("div", { class: "live-map", inert: true });
  container.append(element);
  const map = new MapLibre({
    container: element,
    style: style(),
    attributionControl: false,
    renderWorldCopies: false,
    dragRotate: false,
    // Our keys move without animation; otherwise a second key would start in the middle of the animation of the first.
    keyboard: false,
    pitchWithRotate: false,
    touchPitch: false,
    trackResize: false,
    maxZoom: MAX_ZOOM,
    locale: { "Map.Title": translator.say("mapHelp") },
    // One finger scrolls the page on a phone, where the map is above the list.
    cooperativeGestures: matchMedia("(pointer: coarse) and (max-width: 719px)").matches,
  });
  map.touchZoomRotate.disableRotation();
  map.addControl(new ScaleControl({ maxWidth: 90 }), "bottom-right");
  const popup = new Popup({ closeButton: false, closeOnClick: false, focusAfterOpen: false, maxWidth: "280px" });
  const viewport = createViewport(map, { container, insets, onMove });
  const input = createMapInput(map, {
    ...options,
    points: () => content.points,
    onPick: (place) => options.onPick(place, viewport.roundRadius()),
    onHome: viewport.home,
  });
  const feed = createPointFeed(
    () => map.getSource<GeoJSONSource>("points"),
    (busy) => container.setAttribute("aria-busy", String(busy)),
  );
  /** Resolves when the map can take the place of the static one. */
  const drawn = new Promise<void>((resolve) => {
    void map.once("idle", () => resolve());
    setTimeout(resolve, DRAWN_MS);
  }).then(() => (element.inert = false));
  /** The data of each source. */
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

  /** Shows the attributions of the operator's style. They are markup, of which only the text is shown. */
  function showCredits(): void {
    const texts = Object.keys(base?.sources ?? {}).flatMap((id) => map.getSource(id)?.attribution ?? []);
    byId("base-attribution", HTMLElement).textContent = texts
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
    ...input,
    drawn,
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
      popup
        .setLngLat([place.lon, place.lat])
        .setDOMContent(renderPopup(next.chosen, translator, close))
        .addTo(map);
    },
  };
}
