/**
 * The map in two steps: the static map at once, MapLibre with the first use. MapLibre is nine tenths of the page's script, and its first
 * frame blocks the page for more than a second on machines without a graphics card. Without WebGL the static map stays.
 */
import { byId } from "/docs/dom.js";
import type { MapContent } from "./layout.ts";
import { createInsets, paddingOf, pressInset } from "./insets.ts";
import type { FranceMap, MapOptions } from "./map.ts";
import { EMPTY } from "./map-data.ts";
import type { Notices } from "./notices.ts";
import { createStaticMap } from "./static-map.ts";
import { METROPOLE } from "./territories.ts";
import type { Box } from "./view-state.ts";

/** More points are clustered in the worker of MapLibre. */
const STATIC_POINTS_MAX = 2_000;
const KEYS = /^(Arrow\w+|Home|Enter|Escape|[-+=0])$/;

export type LazyMap = ReturnType<typeof createLazyMap>;

export function createLazyMap(notices: Notices, options: MapOptions) {
  const { say } = options.translator;
  const { land, tiles } = options.background;
  const [container, insets] = [byId("map", HTMLElement), byId("insets", HTMLElement)];
  let content = EMPTY;
  let arrange: (map: FranceMap) => void = ({ home }) => home();
  let loaded: FranceMap | null = null;
  let live: FranceMap | null = null;
  let loading: Promise<FranceMap | null> | null = null;

  createInsets(insets, land, (territory) => {
    pressInset(insets, territory);
    lazyMap.arrange((map) => map.choose(territory), territory.box);
  });
  pressInset(insets, METROPOLE);
  const staticMap = createStaticMap({
    container,
    background: options.background,
    label: say("mapHelp"),
    padding: () => paddingOf(container, insets),
  });
  for (const event of ["pointerenter", "pointerdown", "focusin"])
    byId("plane", HTMLElement).addEventListener(event, () => use(), { once: true });
  // The live map repeats what the visitor did on the static map, which has the same view.
  staticMap.element.addEventListener("click", ({ clientX, clientY }) => {
    const { left, top } = container.getBoundingClientRect();
    use((map) => map.click({ x: clientX - left, y: clientY - top }));
  });
  staticMap.element.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !KEYS.test(event.key)) return;
    event.preventDefault();
    use((map) => void map.press(event.key));
  });
  // Only MapLibre draws a base map.
  if (tiles !== null) use();

  async function load(): Promise<FranceMap | null> {
    const { createMap } = await import("./map.ts");
    try {
      loaded = createMap(options);
    } catch (error) {
      if (hasWebGl()) throw error;
      document.body.dataset["map"] = "static";
      staticMap.element.removeAttribute("tabindex");
      staticMap.element.setAttribute("aria-label", say("noWebGl"));
      notices.note(say("noWebGl"));
      return null;
    }
    loaded.show(content);
    arrange(loaded);
    await loaded.drawn;
    if (staticMap.element.contains(document.activeElement)) loaded.focus();
    staticMap.remove();
    document.body.dataset["map"] = "live";
    live = loaded;
    return loaded;
  }

  /** Calls at once if the map is live, else loads it first. */
  function use(act: (map: FranceMap) => void = () => undefined): void {
    if (live !== null) return act(live);
    loading ??= load();
    loading.then(
      (map) => map !== null && act(map),
      (error: unknown) => {
        loading = null;
        notices.problem(error, () => use(act));
      },
    );
    return undefined;
  }

  const lazyMap = {
    use,
    show(next: MapContent): void {
      content = next;
      const isLarge = content.points.length > STATIC_POINTS_MAX;
      if (live === null && (!isLarge || isWithoutWebGl())) staticMap.show(content);
      if (loaded !== null) loaded.show(content);
      else if (content.chosen !== null || isLarge) use();
    },
    /** Moves the map. @param box what the static map shows; null if only the live map can show it. */
    arrange(how: (map: FranceMap) => void, box: Box | null): void {
      arrange = how;
      if (live === null && box !== null) staticMap.fit(box);
      if (loaded !== null) how(loaded);
      else if (box !== METROPOLE.box) use();
    },
    focus: () => (live === null ? staticMap.element.focus() : live.focus()),
  };
  return lazyMap;
}

function hasWebGl(): boolean {
  return document.createElement("canvas").getContext("webgl2") !== null;
}

function isWithoutWebGl(): boolean {
  return document.body.dataset["map"] === "static";
}
