/** `/problems/<code>`: meaning, endpoints, remedy and example body of a problem. */
import { problems, type ProblemCode, type ServiceContract } from "@triptych/contracts";
import { html, type Html } from "../html.ts";
import { prose } from "./endpoint-section.ts";
import { PAGE_STYLES, pageDocument } from "./page-assets.ts";
import { ENGLISH, type PageLanguage, type ProblemText } from "./page-language.ts";
import { fill } from "./page-texts.ts";
import { remedyOf } from "./remedies.ts";
import { siteHeader, type PageLink } from "./site-header.ts";

export interface ProblemFacts {
  readonly contract: ServiceContract;
  readonly url: string;
  readonly links: readonly Pick<PageLink, "path" | "label">[];
  readonly language?: PageLanguage;
  /** Default: the texts of the catalog. */
  readonly text?: ProblemText;
}

export function problemPage(code: ProblemCode, facts: ProblemFacts): string {
  const { contract, links, language = ENGLISH, text = problems[code] } = facts;
  const { status } = problems[code];
  const texts = language.texts.problem;
  return pageDocument({
    language: language.language,
    title: `${text.title} (${code})`,
    styles: PAGE_STYLES,
    scripts: [],
    body: html`${siteHeader({ title: contract.title, links, language, address: `/problems/${code}` })}
      <main class="column roomy">
        <h1>${text.title}</h1>
        <p class="soft"><code>${code}</code>, ${fill(texts.status, status)}</p>
        <section>
          <h2>${texts.meaning}</h2>
          <p>${prose(text.explanation)}</p>
        </section>
        <section>
          <h2>${texts.remedy}</h2>
          <p>${prose(remedyOf(status, language.language))}</p>
        </section>
        <section>
          <h2>${texts.body}</h2>
          <pre>${JSON.stringify(exampleBody(code, facts), null, 2)}</pre>
          <p class="soft">${prose(texts.stable)}</p>
        </section>
        <section>
          <h2>${texts.endpoints}</h2>
          ${affectedEndpoints(code, contract, language)}
        </section>
      </main>`,
  });
}

function affectedEndpoints(code: ProblemCode, { endpoints }: ServiceContract, { link, texts }: PageLanguage): Html {
  const here = endpoints.filter((endpoint) => endpoint.problems.includes(code));
  if (here.length === 0) return html`<p>${texts.problem.anywhere}</p>`;
  return html`<ul>
    ${here.map(
      ({ id, method, path, summary }) =>
        html`<li>
          <a href="${link(`/docs#${id}`)}"><code>${method} ${path}</code></a> ${summary}
        </li>`,
    )}
  </ul>`;
}

function exampleBody(
  code: ProblemCode,
  { contract: { endpoints }, url, language = ENGLISH, text = problems[code] }: ProblemFacts,
): Readonly<Record<string, unknown>> {
  const { status } = problems[code];
  const first = endpoints.find((endpoint) => endpoint.problems.includes(code)) ?? endpoints[0];
  return {
    type: `${url}/problems/${code}`,
    title: text.title,
    status,
    code,
    detail: text.explanation.replaceAll("`", ""),
    instance: first?.path ?? "/",
    request_id: "req_01k9w3m5t7e8q2r4s6v8x0z2b4",
    ...(code === "validation_failed" && {
      errors: [{ path: "?limit", reason: "maximum", message: language.texts.problem.exampleIssue }],
    }),
  };
}

export function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(problems, code);
}
