/** The map, or a sentence in its place where the browser has no WebGL: list and filters work without it. */
import { el } from "/docs/dom.js";
import type { Translator } from "./i18n.ts";
import { createMap, type FranceMap, type MapOptions } from "./map.ts";

export function createMapOr({ say }: Translator, options: MapOptions): FranceMap {
  // A context only to look for WebGL would cost as much as the one of the map.
  try {
    return createMap(options);
  } catch (error) {
    if (hasWebGl()) throw error;
  }
  options.container.replaceChildren(el("p", { class: "no-map", role: "status" }, [say("noWebGl")]));
  options.insets.hidden = true;
  document.body.dataset["map"] = "none";
  return WITHOUT_MAP;
}

function hasWebGl(): boolean {
  return document.createElement("canvas").getContext("webgl2") !== null;
}

const nothing = () => undefined;

const WITHOUT_MAP: FranceMap = {
  show: nothing,
  setPicking: nothing,
  zoom: nothing,
  home: nothing,
  focus: nothing,
  reveal: nothing,
  roundRadius: () => 10,
  fit: nothing,
  fitCircle: nothing,
  fitBox: nothing,
  bounds: () => [-180, -90, 180, 90],
  camera: () => null,
  setCamera: nothing,
};
