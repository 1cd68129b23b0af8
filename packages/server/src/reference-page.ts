/** `/docs`: a browsable reference generated from the contract, and `/problems/<code>`. Readable without scripts. */
import { problems, type Endpoint, type ProblemCode, type ServiceContract } from "@triptych/contracts";
import { html, page, type Html } from "./html.ts";

export function referencePage(contract: ServiceContract): string {
  return page({
    title: `${contract.title}: reference`,
    body: html`<main>
      <h1>${contract.title}</h1>
      <p>${contract.description}</p>
      <p><a href="/openapi.json">OpenAPI 3.1</a> · <a href="/llms.txt">guide for agents</a></p>
      <nav aria-label="Endpoints">
        <ul>
          ${contract.endpoints.map(
            (endpoint) =>
              html`<li>
                <a href="#${endpoint.id}"><code>${endpoint.method} ${endpoint.path}</code></a> ${endpoint.summary}
              </li>`,
          )}
        </ul>
      </nav>
      ${contract.endpoints.map(endpointSection)}
      <h2 id="problems">Problems</h2>
      <ul>
        ${Object.keys(problems).map(
          (code) =>
            html`<li>
              <a href="/problems/${code}"><code>${code}</code></a>
            </li>`,
        )}
      </ul>
    </main>`,
  });
}

function endpointSection(endpoint: Endpoint): Html {
  const parameters = Object.entries({ ...endpoint.params?.properties, ...endpoint.query?.properties });
  return html`<section id="${endpoint.id}">
    <h2><code>${endpoint.method} ${endpoint.path}</code></h2>
    <p>${endpoint.summary}. ${endpoint.description ?? ""}</p>
    ${parameters.length > 0 ? parameterTable(parameters) : html``}
    <p>
      Answers:
      ${Object.entries(endpoint.answers).map(([status, answer]) => html`<b>${status}</b> ${answer.description}. `)}
      Problems: ${endpoint.problems.map((code) => html`<a href="/problems/${code}"><code>${code}</code></a> `)}
    </p>
    ${(endpoint.examples ?? []).map((example) => html`<pre><code>${example}</code></pre>`)}
  </section>`;
}

function parameterTable(parameters: readonly (readonly [string, unknown])[]): Html {
  return html`<table>
    <thead>
      <tr>
        <th>Parameter</th>
        <th>Meaning</th>
      </tr>
    </thead>
    <tbody>
      ${parameters.map(([name, schema]) => {
        const description =
          typeof schema === "object" && schema !== null && "description" in schema ? String(schema.description) : "";
        return html`<tr>
          <td><code>${name}</code></td>
          <td>${description}</td>
        </tr>`;
      })}
    </tbody>
  </table>`;
}

/** The page of one problem, or null for a code that is not in the catalogue. */
export function problemPage(code: string): string | null {
  if (!isProblemCode(code)) return null;
  const { status, title, explanation } = problems[code];
  return page({
    title: `${title} (${code})`,
    body: html`<main>
      <p><a href="/docs">Reference</a></p>
      <h1>${title}</h1>
      <p><code>${code}</code>, HTTP status ${status}</p>
      <p>${explanation}</p>
    </main>`,
  });
}

function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(problems, code);
}

export const referenceStyle = `:root{color-scheme:light dark;--ink:#1c2430;--soft:#5a6675;--paper:#fbfbf9;--line:#d9dde3;--link:#0b5cad}
@media (prefers-color-scheme:dark){:root{--ink:#e4e8ee;--soft:#9aa7b6;--paper:#12161c;--line:#2c3541;--link:#7db7f5}}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,sans-serif}
main{max-width:52rem;margin:0 auto;padding:2rem 1rem 4rem}
h1{font-size:1.7rem;line-height:1.2}h2{font-size:1.15rem;margin-top:2.2rem;border-top:1px solid var(--line);padding-top:1.2rem}
a{color:var(--link)}code,pre{font:0.9em/1.5 ui-monospace,monospace;overflow-wrap:anywhere}pre{padding:.6rem .8rem;border:1px solid var(--line);border-radius:6px;overflow:auto}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.35rem .6rem .35rem 0;border-bottom:1px solid var(--line)}th{color:var(--soft);font-weight:600}
ul{padding-left:1.2rem}
`;
