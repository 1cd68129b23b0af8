/** `/` of a service: description, health, three commands to start with, and links. Works without scripts. */
import type { ProblemCode, ServiceContract } from "@triptych/contracts";
import { html } from "../html.ts";
import { PAGE_STYLES, pageDocument } from "./page-assets.ts";
import { ENGLISH, type PageLanguage, type ProblemText } from "./page-language.ts";
import { fill, PAGE_TEXTS, type PageTexts } from "./page-texts.ts";
import { siteHeader, type PageLink } from "./site-header.ts";

export interface Home {
  readonly links: readonly PageLink[];
  /** Three commands that work as they are once their shell variables are set. */
  commands(url: string): readonly HomeCommand[];
}

export interface HomeCommand {
  readonly say: string;
  readonly run: string;
}

/** French texts of a service. */
export interface FrenchPages {
  readonly contract: ServiceContract;
  readonly home: Home;
  /** Null for problems of other services, whose pages are in English. */
  readonly problem: (code: ProblemCode) => ProblemText | null;
  /** Translates the reason why the service is not ready. */
  readonly sentence: (english: string) => string;
}

export interface HomeFacts {
  readonly contract: ServiceContract;
  readonly url: string;
  readonly home: Home;
  readonly missing: string | null;
  readonly language?: PageLanguage;
}

export function referenceLink({ reference, home }: PageTexts): PageLink {
  return { path: "/docs", label: reference.label, about: home.referenceAbout };
}

export const REFERENCE: PageLink = referenceLink(PAGE_TEXTS.en);

export function homePage({ contract, url, home, missing, language = ENGLISH }: HomeFacts): string {
  const texts = language.texts.home;
  const links = [...home.links, referenceLink(language.texts)];
  return pageDocument({
    language: language.language,
    title: contract.title,
    styles: PAGE_STYLES,
    scripts: ["/docs/copy.js"],
    body: html`${siteHeader({ title: contract.title, links, current: "/", language })}
      <main class="column roomy">
        <h1>${contract.title}</h1>
        <p class="lead">${contract.description}</p>
        ${
          missing === null
            ? html`<p class="health">${fill(texts.ready, url)}</p>`
            : html`<p class="health away">${fill(texts.notReady, missing)}</p>`
        }
        <section aria-labelledby="first">
          <h2 id="first">${texts.tryIt}</h2>
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
          <h2 id="further">${texts.next}</h2>
          <ul class="ways">
            ${links.map(
              ({ path, label, about }) =>
                html`<li><a href="${language.link(path)}">${label}</a> <span>${about}</span></li>`,
            )}
            <li>
              <a href="/openapi.json">OpenAPI 3.1</a>
              <span>${texts.openApiAbout}</span>
            </li>
            <li><a href="/llms.txt">${texts.guide}</a> <span>${texts.guideAbout}</span></li>
          </ul>
        </section>
      </main>`,
  });
}
