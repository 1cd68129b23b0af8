/**
 * The list next to the map: the accessible form of the results. Arrow keys (or j and k) move between rows, Enter
 * expands a row. Uses loaded data only.
 */
import { el, outLink } from "/docs/dom.js";

/** @typedef {import("./api.js").Item} Item */
/** @typedef {import("./i18n.js").Translator} Translator */
/** @typedef {import("./i18n.js").MessageKey} MessageKey */

/** @returns {string} */
export function nameOf(/** @type {Item} */ { type, slug }) {
  return `${type}/${slug}`;
}

/**
 * @param {HTMLElement} container an ordered list
 * @param {{ translator: () => Translator, tagLabel: (slug: string) => string, onChoose: (item: Item | null) => void, onLeave: () => void }} options
 */
export function createList(container, { translator, tagLabel, onChoose, onLeave }) {
  /** @type {Item | null} */
  let chosen = null;

  /** @param {readonly Item[]} items */
  function show(items) {
    if (chosen !== null && !items.includes(chosen)) chosen = null;
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset["row"] : undefined;
    container.replaceChildren(...items.map(renderRow));
    if (focused !== undefined) rowOf(focused)?.focus({ preventScroll: true });
  }

  /** Appends rows, so that the scroll position is unchanged. @param {readonly Item[]} items */
  function append(items) {
    container.append(...items.map(renderRow));
  }

  function renderRow(/** @type {Item} */ item) {
    const { say, number } = translator();
    const type = item.type === "actor" || item.type === "place" || item.type === "article" ? say(item.type) : item.type;
    const where = [item.commune?.nom, item.departement?.nom ?? item.region?.nom].filter(
      (name, index, names) => name != null && names.indexOf(name) === index,
    );
    const far = item.distance_km === undefined ? [] : [say("km", { km: number(item.distance_km, 1) })];
    const open = item === chosen;
    return el("li", { class: open ? "open" : "" }, [
      el(
        "button",
        {
          type: "button",
          class: "row",
          "data-row": nameOf(item),
          "aria-expanded": String(open),
          onclick: () => toggle(item),
        },
        [
          el("span", { class: `shape ${item.type}`, "aria-hidden": "true" }),
          el("span", { class: "row-title" }, [item.title]),
          el("span", { class: "row-where" }, [[type, ...where, ...far].join(" · ")]),
        ],
      ),
      open ? renderDetails(item) : null,
    ]);
  }

  function renderDetails(/** @type {Item} */ item) {
    const { say } = translator();
    const isFull = item.sources !== undefined;
    const street = [
      item.address?.rue,
      [item.address?.code_postal, item.commune?.nom].filter((part) => part != null).join(" "),
    ];
    const site = typeof item.website === "string" ? outLink(item.website) : null;
    /** @type {[MessageKey, import("/docs/dom.js").Child][]} */
    const facts = [
      ["address", item.address == null ? null : street.filter((part) => part != null && part !== "").join(", ")],
      ["website", site],
      ["phone", item.phone],
      ["email", item.email],
      ["hours", item.opening_hours],
      ["access", item.access],
      ["founded", item.founded],
      ["author", item.author],
      ["tags", item.tags.map(tagLabel).join(", ")],
      [
        "source",
        item.sources
          ?.map((source) => [source.name, source.licence].filter((part) => part !== null).join(" · "))
          .join(" ; "),
      ],
    ];
    const filled = facts.filter(([, value]) => value !== null && value !== undefined && value !== "");
    return el("div", { class: "details" }, [
      el("p", {}, [item.description ?? item.summary]),
      el(
        "dl",
        {},
        filled.flatMap(([label, value]) => [el("dt", {}, [say(label)]), el("dd", {}, [value])]),
      ),
      isFull ? null : el("p", { class: "soft" }, [say("summaryOnly")]),
      el("p", {}, [el("a", { href: `/fiche/${nameOf(item)}` }, [say("itemPage")])]),
    ]);
  }

  function toggle(/** @type {Item} */ item) {
    choose(item === chosen ? null : item);
    onChoose(chosen);
  }

  /** Expands the row of an item, or none. */
  function choose(/** @type {Item | null} */ item) {
    const before = chosen;
    chosen = item;
    for (const changed of [before, item]) {
      if (changed === null) continue;
      const row = rowOf(nameOf(changed));
      const focused = row !== undefined && row === document.activeElement;
      row?.parentElement?.replaceWith(renderRow(changed));
      if (focused) rowOf(nameOf(changed))?.focus({ preventScroll: true });
    }
    if (item !== null) rowOf(nameOf(item))?.parentElement?.scrollIntoView({ block: "nearest" });
  }

  /** @returns {HTMLElement[]} */
  function rows() {
    return [...container.querySelectorAll("button.row")].filter((row) => row instanceof HTMLElement);
  }

  function rowOf(/** @type {string} */ name) {
    return rows().find((row) => row.dataset["row"] === name);
  }

  container.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      event.preventDefault();
      if (chosen === null) return onLeave();
      choose(null);
      return onChoose(null);
    }
    const all = rows();
    const at = all.findIndex((row) => row === document.activeElement);
    const next = NEXT_ROW[event.key]?.(at, all.length);
    if (at < 0 || next === undefined) return undefined;
    event.preventDefault();
    all[Math.max(0, Math.min(all.length - 1, next))]?.focus();
    return undefined;
  });

  return { show, append, choose };
}

/** @type {Readonly<Record<string, (at: number, count: number) => number>>} */
const NEXT_ROW = {
  ArrowDown: (at) => at + 1,
  ArrowUp: (at) => at - 1,
  j: (at) => at + 1,
  k: (at) => at - 1,
  Home: () => 0,
  End: (_, count) => count - 1,
};
