/** One button per territory in fixed order, with its small map; the pressed one is shown large. */
import { TERRITORIES, planeBounds } from "./projection.js";

/** @typedef {import("./projection.js").Territory} Territory */

/** Height of the label at the bottom of an inset, in pixels. */
const NAME_HEIGHT = 16;

export function createInsets(
  /** @type {HTMLElement} */ container,
  /** @type {(territory: Territory) => void} */ onChoose,
) {
  container.replaceChildren(
    ...TERRITORIES.map((territory) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "inset";
      button.dataset["territory"] = territory.id;
      button.textContent = territory.name;
      button.addEventListener("click", () => onChoose(territory));
      return button;
    }),
  );
}

/** Keeps the buttons, so that focus and pointer are unaffected. */
export function pressInset(/** @type {HTMLElement} */ container, /** @type {Territory} */ large) {
  for (const button of container.children) {
    if (button instanceof HTMLElement)
      button.setAttribute("aria-pressed", String(button.dataset["territory"] === large.id));
  }
}

/** Canvas viewport of each inset: the territory fitted above its label. @returns {import("./renderer.js").Viewport[]} */
export function insetViews(/** @type {HTMLElement} */ container, /** @type {HTMLCanvasElement} */ canvas) {
  const frame = canvas.getBoundingClientRect();
  return [...container.children].flatMap((button) => {
    const id = button instanceof HTMLElement ? button.dataset["territory"] : undefined;
    const territory = TERRITORIES.find((candidate) => candidate.id === id);
    if (territory === undefined) return [];
    const { left, top, width, height } = button.getBoundingClientRect();
    const { x0, x1, y0, y1 } = planeBounds(territory);
    const pixelsPerKm = 0.86 * Math.min(width / (x1 - x0), (height - NAME_HEIGHT) / (y1 - y0));
    return [
      {
        territory,
        left: left - frame.left,
        top: top - frame.top,
        width,
        height,
        x: (x0 + x1) / 2,
        y: (y0 + y1) / 2 + NAME_HEIGHT / 2 / pixelsPerKm,
        pixelsPerKm,
        inset: true,
      },
    ];
  });
}
