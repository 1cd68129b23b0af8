/**
 * What the map shows: a territory as a whole, a fit, or the visitor's own view. Moves of the program are `quiet`: only
 * those of the visitor are remembered in the URL.
 */
import type { LngLatBoundsLike, Map as MapLibre } from "maplibre-gl";
import { paddingOf, pressInset } from "./insets.ts";
import { boxAround, METROPOLE, pixelsPerKm, TERRITORIES, territoryOf, toCamera, toMapZoom } from "./territories.ts";
import type { Territory } from "./territories.ts";
import type { Box, Camera, Place, ViewState } from "./view-state.ts";

export type Viewport = ReturnType<typeof createViewport>;

export const MAX_ZOOM = 18;
const ROUND_KM = [1, 2, 5, 10, 20, 50, 100, 200];
const FIT_MAX_ZOOM = 12;
const QUIET = { quiet: true };

interface ViewportOptions {
  readonly container: HTMLElement;
  readonly insets: HTMLElement;
  /** The visitor moved the map. */
  onMove(): void;
}

export function createViewport(map: MapLibre, { container, insets, onMove }: ViewportOptions) {
  let territory: Territory = METROPOLE;
  /** The box of the last fit, which a new size of the map shows as well. */
  let fitted: Box = METROPOLE.box;
  let moved = false;
  const size = () => ({ width: container.clientWidth, height: container.clientHeight });

  function setTerritory(next: Territory): void {
    territory = next;
    pressInset(insets, territory);
  }

  function fitBox(box: Box): void {
    fitted = box;
    map.fitBounds(
      toBounds(box),
      { padding: paddingOf(container, insets), maxZoom: FIT_MAX_ZOOM, animate: false },
      QUIET,
    );
  }

  /** Shows the whole territory. */
  function goHome(): void {
    fitBox(territory.box);
    moved = false;
  }

  /** Fits the whole circle. */
  function fitCircle(place: Place, km: number): void {
    setTerritory(territoryOf(place));
    fitBox(boxAround([place], 1.15 * km));
    moved = true;
    onMove();
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
  setTerritory(territory);

  return {
    zoom: (levels: number) => void map.zoomTo(map.getZoom() + levels),
    choose,
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
    fitCircle,
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
    /** The camera of the URL, else its box, else its circle, else everything. */
    apply({ camera, bbox, near, radius }: ViewState): void {
      setTerritory(TERRITORIES.find(({ id }) => id === camera?.territory) ?? METROPOLE);
      goHome();
      if (camera !== null)
        map.jumpTo({ center: [camera.lon, camera.lat], zoom: Math.min(MAX_ZOOM, toMapZoom(camera)) }, QUIET);
      else if (near !== null) return fitCircle(near, radius);
      else if (bbox !== null) fitBox(bbox);
      moved = camera !== null || bbox !== null;
      return undefined;
    },
  };
}

function toBounds([west, south, east, north]: Box): LngLatBoundsLike {
  return [west, south, east < west ? east + 360 : east, north];
}
