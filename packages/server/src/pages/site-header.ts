/** The bar at the head of every page: which service this is, and where else it can be looked at. */
import { html, type Html } from "../html.ts";

export interface PageLink {
  readonly path: string;
  readonly label: string;
  /** What is found there, for the home page. */
  readonly about: string;
}

export interface SiteHeader {
  /** As in "Triptych rail". */
  readonly title: string;
  readonly links: readonly Pick<PageLink, "path" | "label">[];
  /** Path of the page that bears it. */
  readonly current?: string;
  /** Between the name and the links. */
  readonly more?: Html;
}

export function siteHeader({ title, links, current, more }: SiteHeader): Html {
  const [house = "", ...name] = title.split(" ");
  return html`<header class="bar">
    <a class="brand" href="/">${house} <b>${name.join(" ")}</b></a>
    ${more ?? html``}
    <nav aria-label="Pages">
      ${links.map(
        ({ path, label }) =>
          html`<a href="${path}" ${path === current ? html`aria-current="page"` : html``}>${label}</a> `,
      )}
    </nav>
  </header>`;
}
