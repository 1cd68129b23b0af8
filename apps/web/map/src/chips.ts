/** The filters in use, each as a button that removes it. */
import { byId, el } from "/docs/dom.js";
import type { Facets } from "./api.ts";
import { isItemType, type Translator } from "./i18n.ts";
import { EMPTY_VIEW, type ViewState } from "./view-state.ts";

interface ChipsOptions {
  change(next: Partial<ViewState>): void;
  facets(): Facets;
  /** By slug or INSEE code. */
  departementName(value: string): string | undefined;
}

export function createChips(translator: Translator, { change, facets, departementName }: ChipsOptions) {
  const { say } = translator;

  function labelOf(name: string, value: string) {
    if (name === "type" && isItemType(value)) return say(value);
    const labels = facets()[name === "departements" ? "departement" : name] ?? [];
    // A value without matches has no facet with its label.
    const nameOf = (part: string) => (name === "departements" && departementName(part)) || part;
    const parts = value
      .split(",")
      .map((part) => labels.find((entry) => entry.value === part.trim())?.label ?? nameOf(part.trim()));
    return parts.join(" / ");
  }

  return (view: ViewState) => {
    const chips = (["type", "region", "departements", "tag"] as const).flatMap((name) =>
      view[name].map((value) =>
        chip(translator, labelOf(name, value), () => change({ [name]: view[name].filter((other) => other !== value) })),
      ),
    );
    if (view.bbox !== null) chips.push(chip(translator, say("inView"), () => change({ bbox: null })));
    if (view.commune !== "") chips.push(chip(translator, view.commune, () => change({ commune: "" })));
    const { camera: _, radius: __, ...none } = EMPTY_VIEW;
    const clear = el("button", { type: "button", class: "plain", onclick: () => change(none) }, [say("clear")]);
    byId("chips", HTMLElement).replaceChildren(...(chips.length > 0 ? [...chips, clear] : []));
  };
}

export function chip({ say }: Translator, text: string, onRemove: () => void): HTMLElement {
  const attributes = { type: "button", class: "chip", "aria-label": say("remove", { name: text }), onclick: onRemove };
  return el("button", attributes, [text, el("span", { "aria-hidden": "true" }, ["×"])]);
}
