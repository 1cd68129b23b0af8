/** `/` of a service: description, health, three commands to start with, and links. Works without scripts. */
import type { ServiceContract } from "@triptych/contracts";
import { html } from "../html.ts";
import { pageDocument } from "./page-assets.ts";
import { PAGE_STYLES } from "./static-assets.ts";
import { siteHeader, type PageLink } from "./site-header.ts";

export interface Home {
  readonly links: readonly PageLink[];
  /** Three commands that work unchanged once their shell variables are set. */
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
  readonly missing: string | null;
}

export const REFERENCE: PageLink = {
  path: "/docs",
  label: "Reference",
  about: "Every endpoint with parameters, examples and errors; requests can be tried on the page.",
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
            ? html`<p class="health">Ready at ${url}</p>`
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
          <h2 id="further">Next steps</h2>
          <ul class="ways">
            ${links.map(
              ({ path, label, about }) => html`<li><a href="${path}">${label}</a> <span>${about}</span></li>`,
            )}
            <li>
              <a href="/openapi.json">OpenAPI 3.1</a>
              <span>Machine-readable API description for clients and tools.</span>
            </li>
            <li><a href="/llms.txt">Guide for agents</a> <span>The whole API as plain text.</span></li>
          </ul>
        </section>
      </main>`,
  });
}
