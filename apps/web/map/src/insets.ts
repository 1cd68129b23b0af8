/** One button per territory with its outline: shows the whole territory. */
import { el } from "/docs/dom.js";
import type { Land } from "./background.ts";
import type { Padding } from "./mercator.ts";
import { pathOf, svg, viewBoxOf } from "./svg.ts";
import { TERRITORIES, territoryOf, type Territory } from "./territories.ts";

const MARGIN = 24;
/** On narrower maps the buttons at the top would cover the north. */
const NARROW = 520;

export function createInsets(container: HTMLElement, land: Land, onChoose: (territory: Territory) => void): void {
  container.replaceChildren(
    ...TERRITORIES.map((territory) => {
      const choose = () => onChoose(territory);
      const attributes = { type: "button", class: "inset", "data-territory": territory.id, onclick: choose };
      return el("button", attributes, [outlineOf(territory, land), territory.name]);
    }),
  );
}

/** Keeps the buttons, so that the focus stays. */
export function pressInset(container: HTMLElement, current: Territory): void {
  for (const button of container.querySelectorAll<HTMLElement>(".inset"))
    button.setAttribute("aria-pressed", String(button.dataset["territory"] === current.id));
}

/** The parts of the map that are covered by buttons and insets. */
export function paddingOf({ clientWidth: width, clientHeight: height }: HTMLElement, insets: HTMLElement): Padding {
  const below = insets.offsetHeight + MARGIN;
  return {
    top: width < NARROW ? 52 : MARGIN,
    bottom: height < 3 * below ? MARGIN : below,
    left: Math.min(MARGIN, width / 8),
    right: Math.min(MARGIN, width / 8),
  };
}

function outlineOf(territory: Territory, land: Land): SVGSVGElement {
  const inside = land.features.filter(({ geometry }) => {
    const [[[[lon, lat]]]] = geometry.coordinates;
    return territoryOf({ lat, lon }) === territory;
  });
  const path = svg("path", { d: inside.map(pathOf).join("") });
  return svg("svg", { viewBox: viewBoxOf(territory.box), "aria-hidden": "true" }, [path]);
}
