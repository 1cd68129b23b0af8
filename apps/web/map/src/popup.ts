/** The popup of an item: the fields of the caller's plan in short. The list has all of them. */
import { el, outLink } from "/docs/dom.js";
import type { Item } from "./api.ts";
import type { Translator } from "./i18n.ts";
import { nameOf } from "./list.ts";

const TEXT_MAX = 180;

export function renderPopup(item: Item, { say }: Translator, onClose: () => void): HTMLElement {
  const text = item.description ?? item.summary;
  const where = [item.address?.rue, item.commune?.nom ?? item.departement?.nom].filter((part) => part != null);
  return el("div", { class: "popup" }, [
    el("button", { type: "button", class: "plain close", "aria-label": say("close"), onclick: onClose }, ["×"]),
    el("p", { class: "popup-title" }, [item.title]),
    el("p", { class: "soft" }, [where.join(", ")]),
    el("p", {}, [text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX).trimEnd()}…` : text]),
    el("p", { class: "popup-links" }, [
      el("a", { href: `/fiche/${nameOf(item)}` }, [say("itemPage")]),
      item.website == null ? null : outLink(item.website),
    ]),
  ]);
}
