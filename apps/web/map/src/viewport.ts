/**
 * What the map shows: a territory as a whole, a fit, or the visitor's own view. Moves of the program are `quiet`: only
 * those of the visitor are remembered in the URL.
 */
import type { LngLatBoundsLike, Map as MapLibre } from "maplibre-gl";
import type { Land } from "./background.ts";
import { createInsets, pressInset } from "./insets.ts";
import { boxAround, METROPOLE, pixelsPerKm, TERRITORIES, territoryOf, toCamera, toMapZoom } from "./territories.ts";
import type { Territory } from "./territories.ts";
import type { Box, Camera, Place } from "./view-state.ts";

export type Viewport = ReturnType<typeof createViewport>;

export const MAX_ZOOM = 18;
const ROUND_KM = [1, 2, 5, 10, 20, 50, 100, 200];
const MARGIN = 24;
/** On narrower maps the buttons at the top would cover the north. */
const NARROW = 520;
const FIT_MAX_ZOOM = 12;
const QUIET = { quiet: true };

interface ViewportOptions {
  readonly container: HTMLElement;
  /** One button per territory. */
  readonly insets: HTMLElement;
  readonly land: Land;
  /** The visitor moved the map. */
  onMove(): void;
}

export function createViewport(map: MapLibre, { container, insets, land, onMove }: ViewportOptions) {
  let territory: Territory = METROPOLE;
  /** The box of the last fit, which a new size of the map shows as well. */
  let fitted: Box = METROPOLE.box;
  let moved = false;
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
  new ResizeObserver(() => {
    // Paper shows the picture of the screen: new tiles would come too late.
    if (matchMedia("print").matches) return;
    map.resize(QUIET);
    if (!moved) fitBox(fitted);
  }).observe(container);
  createInsets(insets, land, choose);
  setTerritory(territory);

  return {
    zoom: (levels: number) => void map.zoomTo(map.getZoom() + levels),
    home: () => choose(territory),
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
