/** Header of every page: the name of the service and links to its pages. */
import { html, type Html } from "../html.ts";

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
}

export function siteHeader({ title, links, current, more }: SiteHeader): Html {
  const [brand = "", ...name] = title.split(" ");
  return html`<header class="bar">
    <a class="brand" href="/">${brand} <b>${name.join(" ")}</b></a>
    ${more ?? html``}
    <nav aria-label="Pages">
      ${links.map(
        ({ path, label }) =>
          html`<a href="${path}" ${path === current ? html`aria-current="page"` : html``}>${label}</a> `,
      )}
    </nav>
  </header>`;
}
