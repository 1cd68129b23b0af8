/** One button per territory with its outline: shows the whole territory. */
import type { Land } from "./background.ts";
import { TERRITORIES, territoryOf, type Territory } from "./territories.ts";

const SVG = "http://www.w3.org/2000/svg";
const RADIAN = Math.PI / 180;

export function createInsets(container: HTMLElement, land: Land, onChoose: (territory: Territory) => void): void {
  container.replaceChildren(
    ...TERRITORIES.map((territory) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "inset";
      button.dataset["territory"] = territory.id;
      button.append(outlineOf(territory, land), territory.name);
      button.addEventListener("click", () => onChoose(territory));
      return button;
    }),
  );
}

/** Keeps the buttons, so that the focus stays. */
export function pressInset(container: HTMLElement, current: Territory): void {
  for (const button of container.querySelectorAll<HTMLElement>(".inset"))
    button.setAttribute("aria-pressed", String(button.dataset["territory"] === current.id));
}

function outlineOf(territory: Territory, land: Land): SVGSVGElement {
  const [west, south, east, north] = territory.box;
  const narrow = Math.cos(((south + north) / 2) * RADIAN);
  const parts = land.features
    .flatMap(({ geometry }) => geometry.coordinates)
    .filter(([[[lon, lat]]]) => territoryOf({ lat, lon }) === territory)
    .flat()
    .map(
      (ring) =>
        `M${ring.map(([lon, lat]) => `${((lon - west) * narrow).toFixed(2)} ${(north - lat).toFixed(2)}`).join("L")}Z`,
    );
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${(east - west) * narrow} ${north - south}`);
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", parts.join(""));
  svg.append(path);
  return svg;
}
