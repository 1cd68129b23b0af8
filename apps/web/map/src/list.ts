/**
 * The list next to the map: the accessible form of the results. Arrow keys (or j and k) move between rows, Enter
 * expands a row. Uses loaded data only.
 */
import { el, outLink } from "/docs/dom.js";
import type { Item } from "./api.ts";
import type { MessageKey, Translator } from "./i18n.ts";

export function nameOf({ type, slug }: Pick<Item, "type" | "slug">): string {
  return `${type}/${slug}`;
}

interface ListOptions {
  tagLabel(slug: string): string;
  onChoose(item: Item | null): void;
  onLeave(): void;
}

export function createList(
  container: HTMLElement,
  { say, number }: Translator,
  { tagLabel, onChoose, onLeave }: ListOptions,
) {
  let chosen: Item | null = null;

  function show(items: readonly Item[]) {
    if (chosen !== null && !items.includes(chosen)) chosen = null;
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset["row"] : undefined;
    container.replaceChildren(...items.map(renderRow));
    if (focused !== undefined) rowOf(focused)?.focus({ preventScroll: true });
  }

  /** Appends rows, so that the scroll position is unchanged. */
  function append(items: readonly Item[]) {
    container.append(...items.map(renderRow));
  }

  function renderRow(item: Item) {
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
          el("span", { class: "row-where" }, [[say(item.type), ...where, ...far].join(" · ")]),
        ],
      ),
      open ? renderDetails(item) : null,
    ]);
  }

  function renderDetails(item: Item) {
    const isFull = item.sources !== undefined;
    const street = [
      item.address?.rue,
      [item.address?.code_postal, item.commune?.nom].filter((part) => part != null).join(" "),
    ];
    const site = typeof item.website === "string" ? outLink(item.website) : null;
    const facts: [MessageKey, Node | string | null | undefined][] = [
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

  function toggle(item: Item) {
    choose(item === chosen ? null : item);
    onChoose(chosen);
  }

  /** Expands the row of an item, or none. */
  function choose(item: Item | null) {
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

  function rows(): HTMLElement[] {
    return [...container.querySelectorAll("button.row")].filter((row) => row instanceof HTMLElement);
  }

  function rowOf(name: string) {
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

const NEXT_ROW: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowDown: (at) => at + 1,
  ArrowUp: (at) => at - 1,
  j: (at) => at + 1,
  k: (at) => at - 1,
  Home: () => 0,
  End: (_, count) => count - 1,
};
