/** SVG elements, and the outlines of départements as paths. */
import type { Feature, MultiPolygon } from "geojson";
import { boundsOf, toUnits } from "./mercator.ts";
import type { Box } from "./view-state.ts";

const NAMESPACE = "http://www.w3.org/2000/svg";

/** Like `el` of the served `dom.js`, which creates HTML. */
export function svg<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string | number>> = {},
  children: readonly (SVGElement | string)[] = [],
): SVGElementTagNameMap[Name] {
  const element = document.createElementNS(NAMESPACE, name);
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, String(value));
  element.append(...children);
  return element;
}

/** In units of `mercator.ts`. */
export function pathOf({ geometry }: Feature<MultiPolygon>): string {
  const rings = geometry.coordinates.flat();
  return rings.map((ring) => `M${ring.map(([lon, lat]) => toUnits({ lat, lon }).map(Math.round)).join("L")}Z`).join("");
}

export function viewBoxOf(box: Box): string {
  const { x, y, width, height } = boundsOf(box);
  return [x, y, width, height].join(" ");
}
