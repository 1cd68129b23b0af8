/** `/docs`: the API reference, generated from the contract. Works without scripts; they add filtering and copying. */
import { type Endpoint, type Method, type ProblemCode, problems } from "@triptych/contracts";
import { html, type Html } from "../html.ts";
import { endpointSection, prose, TRY_PAGE, type ReferenceFacts } from "./endpoint-section.ts";
import { PAGE_STYLES, pageDocument } from "./page-assets.ts";
import { ENGLISH, type ProblemText } from "./page-language.ts";
import { fill } from "./page-texts.ts";
import { siteHeader, type PageLink } from "./site-header.ts";

export interface ReferencePage extends ReferenceFacts {
  readonly links: readonly Pick<PageLink, "path" | "label">[];
  /** Additional sections of a service, with their entries in the table of contents. */
  readonly chapters?: { readonly before: Html; readonly after: Html };
  readonly contents?: { readonly before: Html; readonly after: Html };
  /** Default: the texts of the catalog. */
  readonly problem?: (code: ProblemCode) => ProblemText | null;
}

const NOTHING = { before: html``, after: html`` };

export function referencePage(facts: ReferencePage): string {
  const { contract, links, chapters = NOTHING, language = ENGLISH } = facts;
  const { reference, skip } = language.texts;
  return pageDocument({
    language: language.language,
    title: fill(reference.title, contract.title),
    styles: [...PAGE_STYLES, "/docs/reference.css"],
    scripts: ["/docs/reference.js", "/docs/copy.js"],
    body: html`<a class="skip" href="#content">${skip}</a>
      ${siteHeader({ title: contract.title, links, current: "/docs", language })}
      <div class="frame roomy">
        ${contentsOf(facts)}
        <main id="content">
          <h1>${contract.title}</h1>
          <p class="lead">${contract.description}</p>
          ${chapters.before}
          <section id="reference">
            <h2>${reference.label}</h2>
            <p>
              ${reference.generated} <a href="/openapi.json">OpenAPI 3.1</a>,
              <a href="/llms.txt">${reference.guide}</a>.
            </p>
            ${sortEndpoints(contract.endpoints).map((endpoint) => endpointSection(endpoint, facts))}
          </section>
          ${chapters.after} ${errors(facts)}
        </main>
      </div>`,
  });
}

function contentsOf({ contract, contents = NOTHING, language = ENGLISH }: ReferencePage): Html {
  const { endpoint, errors, reference } = language.texts;
  return html`<nav class="contents" aria-label="${reference.contents}">
    <label class="filter" hidden
      >${reference.filter} <input id="filter" type="search" autocomplete="off" aria-describedby="filtered"
    /></label>
    <p id="filtered" role="status" class="soft"></p>
    <ul>
      ${contents.before}
      <li><a href="${TRY_PAGE}" hreflang="en">${endpoint.tryIt}</a></li>
      <li>
        <a href="#reference">${reference.label}</a>
        <ul>
          ${sortEndpoints(contract.endpoints).map(
            ({ id, method, path }) =>
              html`<li>
                <a href="#${id}"><code>${method === "GET" ? "" : `${method} `}${path}</code></a>
              </li>`,
          )}
        </ul>
      </li>
      ${contents.after}
      <li><a href="#errors">${errors.title}</a></li>
    </ul>
  </nav>`;
}

/** Problems that any request can cause; endpoints do not list them. */
const ANYWHERE: readonly ProblemCode[] = ["not_found", "method_not_allowed", "headers_too_large", "internal"];

function errors({ contract, language = ENGLISH, problem }: ReferencePage): Html {
  const texts = language.texts.errors;
  const codes = new Set([...contract.endpoints.flatMap((endpoint) => endpoint.problems), ...ANYWHERE]);
  return html`<section id="errors">
    <h2>${texts.title}</h2>
    <p>${prose(texts.intro)}</p>
    <div class="scroll" tabindex="0" role="region" aria-label="${texts.title}">
      <table>
        <thead>
          <tr>
            <th scope="col">${texts.status}</th>
            <th scope="col">${texts.code}</th>
            <th scope="col">${texts.meaning}</th>
          </tr>
        </thead>
        <tbody>
          ${sortedCodes(codes).map((code) => {
            const { title, explanation } = problem?.(code) ?? problems[code];
            return html`<tr data-filter>
              <td>${problems[code].status}</td>
              <th scope="row">
                <a href="${language.link(`/problems/${code}`)}"><code>${code}</code></a>
              </th>
              <td><b>${title}.</b> ${prose(explanation)}</td>
            </tr>`;
          })}
        </tbody>
      </table>
    </div>
  </section>`;
}

const METHODS: readonly Method[] = ["POST", "GET", "PUT", "PATCH", "DELETE"];
const RESOURCE_SEGMENTS = 3;

/** Resources are in contract order, by their first endpoint. */
export function sortEndpoints(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  const resources = new Map<string, Endpoint[]>();
  for (const endpoint of endpoints) {
    const resource = endpoint.path.split("/").slice(0, RESOURCE_SEGMENTS).join("/");
    resources.set(resource, [...(resources.get(resource) ?? []), endpoint]);
  }
  return [...resources.values()].flatMap((group) => group.toSorted(byPathAndMethod));
}

function byPathAndMethod(one: Endpoint, other: Endpoint): number {
  if (one.path !== other.path) return one.path < other.path ? -1 : 1;
  return METHODS.indexOf(one.method) - METHODS.indexOf(other.method);
}

/** In the order of the catalog. */
function sortedCodes(codes: ReadonlySet<ProblemCode>): readonly ProblemCode[] {
  const order = Object.keys(problems);
  return [...codes].sort((a, b) => order.indexOf(a) - order.indexOf(b));
}
