/** `/` of a service: what this is, how it is, three commands to begin with, and where to go from here. Readable without scripts. */
import type { ServiceContract } from "@triptych/contracts";
import { html } from "../html.ts";
import { pageDocument } from "./page-assets.ts";
import { PAGE_STYLES } from "./shared-assets.ts";
import { siteHeader, type PageLink } from "./site-header.ts";

export interface Home {
  /** Pages of the service beside its reference, in the order in which they are wanted. */
  readonly links: readonly PageLink[];
  /** Three commands that work as they stand, once what is named by a variable is set. */
  commands(url: string): readonly HomeCommand[];
}

export interface HomeCommand {
  readonly say: string;
  readonly run: string;
}

export interface HomeFacts {
  readonly contract: ServiceContract;
  readonly url: string;
  readonly home: Home;
  /** Null when the service can serve, else what is missing. */
  readonly missing: string | null;
}

export const REFERENCE: PageLink = {
  path: "/docs",
  label: "Reference",
  about: "Every call with its shapes, examples and errors; to be tried on the page.",
};

export function homePage({ contract, url, home, missing }: HomeFacts): string {
  const links = [...home.links, REFERENCE];
  return pageDocument({
    language: "en",
    title: contract.title,
    styles: PAGE_STYLES,
    scripts: ["/docs/copy.js"],
    body: html`${siteHeader({ title: contract.title, links, current: "/" })}
      <main class="column roomy">
        <h1>${contract.title}</h1>
        <p class="lead">${contract.description}</p>
        ${
          missing === null
            ? html`<p class="health">Ready: it answers at ${url}</p>`
            : html`<p class="health away">Not ready: ${missing}</p>`
        }
        <section aria-labelledby="first">
          <h2 id="first">Try it</h2>
          <ol class="tries">
            ${home.commands(url).map(
              ({ say, run }) =>
                html`<li>
                  <p>${say}</p>
                  <pre data-copy="${say}">${run}</pre>
                </li>`,
            )}
          </ol>
        </section>
        <section aria-labelledby="further">
          <h2 id="further">Go on</h2>
          <ul class="ways">
            ${links.map(
              ({ path, label, about }) => html`<li><a href="${path}">${label}</a> <span>${about}</span></li>`,
            )}
            <li>
              <a href="/openapi.json">OpenAPI 3.1</a> <span>The same as data, generated from what validates.</span>
            </li>
            <li><a href="/llms.txt">Guide for agents</a> <span>All of it on one page of plain text.</span></li>
          </ul>
        </section>
      </main>`,
  });
}
