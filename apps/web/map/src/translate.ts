import { byId } from "/docs/dom.js";
import { isMessageKey } from "./i18n.ts";

import type { Translator } from "./i18n.ts";

export function translate({ language, say }: Translator) {
  document.documentElement.lang = language;
  for (const element of document.querySelectorAll("[data-word]")) {
    if (element instanceof HTMLElement && isMessageKey(element.dataset["word"]))
      element.textContent = say(element.dataset["word"]);
  }
  for (const attribute of ["aria-label", "placeholder", "title"]) {
    for (const element of document.querySelectorAll(`[data-word-${attribute}]`)) {
      const key = element.getAttribute(`data-word-${attribute}`) ?? "";
      if (isMessageKey(key)) element.setAttribute(attribute, say(key));
    }
  }
  document.title = say("title");
  const other = byId("other-language", HTMLAnchorElement);
  other.lang = language === "fr" ? "en" : "fr";
  other.addEventListener("click", (event) => {
    event.preventDefault();
    const params = new URLSearchParams(location.search);
    params.set("lang", language === "fr" ? "en" : "fr");
    location.search = params.toString();
  });
}
