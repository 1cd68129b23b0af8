/** Header of every page: the name of the service and links to its pages. */
import { html, type Html } from "../html.ts";
import { ENGLISH, languageSwitch, type PageLanguage } from "./page-language.ts";

export interface PageLink {
  readonly path: string;
  readonly label: string;
  readonly about: string;
}

export interface SiteHeader {
  readonly title: string;
  readonly links: readonly Pick<PageLink, "path" | "label">[];
  readonly current?: string;
  /** Content between the name and the links. */
  readonly more?: Html;
  readonly language?: PageLanguage;
  /** For the language switch. Default: `current`. */
  readonly address?: string;
}

export function siteHeader({
  title,
  links,
  current,
  more,
  language = ENGLISH,
  address = current ?? "/",
}: SiteHeader): Html {
  const [brand = "", ...name] = title.split(" ");
  return html`<header class="bar">
    <a class="brand" href="${language.link("/")}">${brand} <b>${name.join(" ")}</b></a>
    ${more ?? html``}
    <nav aria-label="Pages">
      ${links.map(
        ({ path, label }) =>
          html`<a href="${language.link(path)}" ${path === current ? html`aria-current="page"` : html``}>${label}</a> `,
      )}
    </nav>
    ${languageSwitch(language, address)}
  </header>`;
}
