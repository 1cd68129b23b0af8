import { el } from "/docs/dom.js";
import type { Facets, FacetValue } from "./api.ts";
import { isItemType, type Translator } from "./i18n.ts";
import type { ViewState } from "./view-state.ts";

type ListName = "type" | "region" | "departements" | "tag";

const GROUPS = [
  { facet: "type", list: "type", few: 3 },
  { facet: "region", list: "region", few: 6 },
  { facet: "departement", list: "departements", few: 6 },
  { facet: "tag", list: "tag", few: 10 },
] as const;

export function createFacets(
  container: HTMLElement,
  { say, number }: Translator,
  onToggle: (list: ListName, value: string) => void,
) {
  /** Expanded groups. */
  const open = new Set<string>();
  let again: () => void = () => {};

  function show(facets: Facets, view: ViewState) {
    again = () => show(facets, view);
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset["facet"] : undefined;
    container.replaceChildren(
      ...GROUPS.map((group) => renderGroup(group, facets[group.facet] ?? [], view[group.list])),
    );
    if (focused === undefined) return;
    for (const element of container.querySelectorAll("[data-facet]")) {
      if (element instanceof HTMLElement && element.dataset["facet"] === focused)
        element.focus({ preventScroll: true });
    }
  }

  function renderGroup(
    { facet, list, few }: (typeof GROUPS)[number],
    values: readonly FacetValue[],
    chosen: readonly string[],
  ) {
    // Comma lists and excluded values from a URL have no count; only a chip shows them.
    const missing = chosen.filter((value) => !/^-|,/.test(value) && !values.some((entry) => entry.value === value));
    const all = [...missing.map((value) => ({ value, label: value, count: 0 })), ...values];
    const visible = open.has(facet) ? all : all.filter((entry, index) => index < few || chosen.includes(entry.value));
    return el("fieldset", {}, [
      el("legend", {}, [say(facet)]),
      all.length === 0 ? el("p", { class: "soft" }, [say("nothingHere")]) : null,
      el(
        "ul",
        { class: "values" },
        visible.map(({ value, label, count }) => {
          const box = el("input", {
            type: "checkbox",
            checked: chosen.includes(value),
            "data-facet": `${list}:${value}`,
            onchange: () => onToggle(list, value),
          });
          const name = facet === "type" && isItemType(value) ? say(value) : label;
          return el("li", {}, [
            el("label", {}, [
              box,
              el("span", { class: "name" }, [name]),
              el("span", { class: "count" }, [number(count)]),
            ]),
          ]);
        }),
      ),
      all.length > few ? toggleAll(facet, all.length) : null,
    ]);
  }

  function toggleAll(facet: string, count: number) {
    const isOpen = open.has(facet);
    return el(
      "button",
      {
        type: "button",
        class: "plain",
        "aria-expanded": String(isOpen),
        "data-facet": `${facet}:`,
        onclick: () => {
          if (isOpen) open.delete(facet);
          else open.add(facet);
          again();
        },
      },
      [say(isOpen ? "showLess" : "showAll", { count })],
    );
  }

  return { show };
}
