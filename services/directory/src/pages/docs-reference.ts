/** An endpoint as people read it: parameters with their bounds and a runnable example each, answers, problems. */
import type { Endpoint } from "@triptych/contracts";
import { html, type Html } from "@triptych/server";
import { parameterExample } from "./docs-examples.ts";
import type { DocsFacts } from "./docs-page.ts";
import { allowedValues, schemaShape } from "./schema-shape.ts";

export function endpointSection(endpoint: Endpoint, facts: DocsFacts): Html {
  const { id, method, path, summary, description, examples, auth } = endpoint;
  return html`<section id="${id}" class="endpoint" data-filter>
    <h3><code>${method} ${path}</code></h3>
    <p>${summary}. ${prose(description ?? "")} ${auth === null ? "No key needed." : ""}</p>
    ${(examples ?? []).map((example) => runnable(example, { ...facts, open: auth === null }))}
    ${parameters(endpoint, facts)} ${answers(endpoint)}
    <p class="problems">
      Problems: ${endpoint.problems.map((code) => html`<a href="/problems/${code}"><code>${code}</code></a> `)}
    </p>
  </section>`;
}

function parameters(endpoint: Endpoint, facts: DocsFacts): Html {
  const inPath = Object.keys(endpoint.params?.properties ?? {});
  const all = Object.entries({ ...endpoint.params?.properties, ...endpoint.query?.properties });
  if (all.length === 0) return html``;
  return html`<h4>Parameters</h4>
    <dl class="parameters">
      ${all.map(
        ([name, schema]) =>
          html`<div data-filter>
            <dt>
              <code>${name}</code>${inPath.includes(name) ? html` <span class="soft">in the path</span>` : html``}
            </dt>
            <dd>
              <p>${prose(descriptionOf(schema))}</p>
              ${allowed(schema)}${runnable(parameterExample(endpoint.id, name, facts.today), facts)}
            </dd>
          </div>`,
      )}
    </dl>`;
}

function allowed(schema: unknown): Html {
  const values = allowedValues(schema);
  return values === "" ? html`` : html`<p class="soft">${values}</p>`;
}

/** `data-example` is what the script puts into the try-it form, and what the tests run. */
function runnable(example: string, { origin, open = false }: Pick<DocsFacts, "origin"> & { open?: boolean }): Html {
  const address = `${origin}${example}`;
  const needsNoHeader = open || example.includes("$DIRECTORY_KEY");
  const curl = needsNoHeader ? `curl "${address}"` : `curl -H "Authorization: Bearer $DIRECTORY_KEY" "${address}"`;
  return html`<pre data-example="${example}"><code>${curl}</code></pre>`;
}

function answers(endpoint: Endpoint): Html {
  return html`<h4>Answers</h4>
    <dl class="answers">
      ${Object.entries(endpoint.answers).map(
        ([status, { description, media, headers, schema }]) =>
          html`<div>
            <dt>${status}</dt>
            <dd>
              <p>${prose(description)}${media === undefined ? "" : `; ${media.join(", ")}`}</p>
              ${Object.entries(headers ?? {}).map(
                ([name, meaning]) => html`<p class="soft"><code>${name}</code>: ${prose(meaning)}</p>`,
              )}${
                schema === undefined
                  ? html``
                  : html`<details>
                      <summary>Shape of the body</summary>
                      <pre
                        tabindex="0"
                        aria-label="Shape of the body of ${endpoint.id}"
                      ><code>${schemaShape(schema)}</code></pre>
                    </details>`
              }
            </dd>
          </div>`,
      )}
    </dl>`;
}

function descriptionOf(schema: unknown): string {
  if (typeof schema !== "object" || schema === null || !("description" in schema)) return "";
  const text = String(schema.description);
  return text.charAt(0).toUpperCase() + text.slice(1) + (text.endsWith(".") ? "" : ".");
}

/** Text of the contract, in which code stands between backticks. */
export function prose(text: string): Html {
  return html`${text.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))}`;
}
