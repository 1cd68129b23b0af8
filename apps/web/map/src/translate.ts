import { byId } from "/docs/dom.js";
import { ENGLISH, type Translator } from "./i18n.ts";

const ATTRIBUTES = ["aria-label", "placeholder"];

/** The page is served in French: English replaces its texts. The link to the other language keeps the view. */
export function translate({ language }: Translator): void {
  const other = byId("other-language", HTMLAnchorElement);
  if (language === "en") {
    const texts: Readonly<Record<string, string>> = ENGLISH;
    const textOf = (element: Element, name: string) => texts[element.getAttribute(name) ?? ""] ?? "";
    document.documentElement.lang = language;
    document.title = ENGLISH.title;
    other.lang = "fr";
    for (const element of document.querySelectorAll("[data-word]")) element.textContent = textOf(element, "data-word");
    for (const name of ATTRIBUTES)
      for (const element of document.querySelectorAll(`[data-word-${name}]`))
        element.setAttribute(name, textOf(element, `data-word-${name}`));
  }
  other.addEventListener("click", (event) => {
    event.preventDefault();
    const params = new URLSearchParams(location.search);
    params.set("lang", language === "fr" ? "en" : "fr");
    location.search = params.toString();
  });
}
