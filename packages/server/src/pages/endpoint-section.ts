/** Reference section of an endpoint: purpose, code samples, parameters with limits, body, responses, problems. */
import type { Endpoint, ServiceContract } from "@triptych/contracts";
import { html, type Html } from "../html.ts";
import { tagOf } from "../openapi.ts";
import { ENGLISH, type PageLanguage } from "./page-language.ts";
import { fill } from "./page-texts.ts";
import { codeSamples, type CodeSample } from "./code-samples.ts";
import { requestExample, type RequestExample } from "./request-example.ts";
import { allowedValues, schemaShape } from "./schema-shape.ts";

export interface ReferenceFacts {
  readonly contract: ServiceContract;
  readonly origin: string;
  /** Returns a path that shows how to use a parameter, or null. */
  readonly parameterExample?: (endpoint: string, parameter: string) => string | null;
  readonly variable?: string;
  readonly language?: PageLanguage;
}

export function endpointSection(endpoint: Endpoint, facts: ReferenceFacts): Html {
  const { id, method, path, summary, description, auth } = endpoint;
  const examples = endpoint.examples ?? [path];
  const { language = ENGLISH } = facts;
  const texts = language.texts.endpoint;
  return html`<section id="${id}" class="endpoint" data-filter>
    <h3><code>${method} ${path}</code></h3>
    <p>${summary}. ${prose(description ?? "")} ${auth === null ? texts.noKey : ""} ${tryLink(endpoint, facts)}</p>
    ${examples.map((example, index) => codeTabs(facts.origin, exampleOf(endpoint, facts, example), `${id}-${index}`))}
    ${parameters(endpoint, facts)} ${body(endpoint, language)} ${answers(endpoint, language)}
    <p class="problems">
      ${texts.problems}
      ${endpoint.problems.map((code) => html`<a href="${language.link(`/problems/${code}`)}"><code>${code}</code></a> `)}
    </p>
  </section>`;
}

/** Page of the request viewer; it is loaded only when a reader follows the link. */
export const TRY_PAGE = "/docs/try";

/** WebSockets and endless streams have no link, because the viewer waits for the end of the response. */
function tryLink(endpoint: Endpoint, { contract, language = ENGLISH }: ReferenceFacts): Html {
  if (101 in endpoint.answers || endpoint.answers[200]?.media?.[0] === "text/event-stream") return html``;
  const operation = `${encodeURIComponent(tagOf(contract, endpoint) ?? "default")}/${endpoint.id}`;
  const { tryIt } = language.texts.endpoint;
  const label = `${tryIt}: ${endpoint.method} ${endpoint.path}`;
  return html`<a class="try" href="${TRY_PAGE}#/${operation}" hreflang="en" aria-label="${label}">${tryIt}</a>`;
}

function exampleOf(endpoint: Endpoint, { contract, variable }: ReferenceFacts, path: string): RequestExample {
  const example = requestExample(contract, endpoint, path);
  if (example.carrier === null || variable === undefined) return example;
  return { ...example, carrier: { ...example.carrier, variable } };
}

function parameters(endpoint: Endpoint, facts: ReferenceFacts): Html {
  const inPath = Object.keys(endpoint.params?.properties ?? {});
  const all = Object.entries({ ...endpoint.params?.properties, ...endpoint.query?.properties });
  if (all.length === 0) return html``;
  const { language = ENGLISH } = facts;
  const texts = language.texts.endpoint;
  return html`<h4>${texts.parameters}</h4>
    <dl class="parameters">
      ${all.map(([name, schema]) => {
        const example = facts.parameterExample?.(endpoint.id, name) ?? null;
        return html`<div data-filter>
          <dt>
            <code>${name}</code>${inPath.includes(name) ? html` <span class="soft">${texts.inPath}</span>` : html``}
          </dt>
          <dd>
            <p>${prose(descriptionOf(schema))}</p>
            ${allowed(schema, language)}${example === null ? html`` : curlExample(facts.origin, exampleOf(endpoint, facts, example))}
          </dd>
        </div>`;
      })}
    </dl>`;
}

function allowed(schema: unknown, { language }: PageLanguage): Html {
  const values = allowedValues(schema, language);
  return values === "" ? html`` : html`<p class="soft">${values}</p>`;
}

function exampleCode({ method, path }: RequestExample, { language, code }: CodeSample): Html {
  return html`<pre data-copy="${method} ${path}, ${language}"><code>${code}</code></pre>`;
}

/** Omits the header if the URL already contains the credential. */
function withoutSecondKey(example: RequestExample): RequestExample {
  return /[?&]key=\$/.test(example.path) ? { ...example, carrier: null } : example;
}

/** Only the curl sample. Tests run `data-example`. */
function curlExample(origin: string, example: RequestExample): Html {
  const samples = codeSamples(origin, withoutSecondKey(example)).slice(0, 1);
  return html`<div data-example="${example.path}">${samples.map((sample) => exampleCode(example, sample))}</div>`;
}

/**
 * Tabs without a script: the browser closes the other `details` with the same name, which must be unique on the page.
 */
export function codeTabs(origin: string, example: RequestExample, name: string): Html {
  return html`<div class="samples" data-example="${example.path}" data-method="${example.method}">
    ${codeSamples(origin, withoutSecondKey(example)).map(
      (sample, index) =>
        html`<details name="${name}" ${index === 0 ? html`open` : html``}>
          <summary>${sample.language}</summary>
          ${exampleCode(example, sample)}
        </details>`,
    )}
  </div>`;
}

function body(endpoint: Endpoint, { texts }: PageLanguage): Html {
  if (endpoint.body === undefined) return html``;
  return html`<h4>${texts.endpoint.requestBody}</h4>
    <pre
      tabindex="0"
      aria-label="${fill(texts.endpoint.requestBodyOf, endpoint.id)}"
    ><code>${schemaShape(endpoint.body)}</code></pre>`;
}

function answers(endpoint: Endpoint, language: PageLanguage): Html {
  const texts = language.texts.endpoint;
  return html`<h4>${texts.responses}</h4>
    <dl class="answers">
      ${Object.entries(endpoint.answers).map(
        ([status, { description, media, headers, schema }]) =>
          html`<div>
            <dt>${status}</dt>
            <dd>
              <p>${prose(description)}${media === undefined ? "" : ` · ${media.join(", ")}`}</p>
              ${Object.entries(headers ?? {}).map(
                ([name, meaning]) => html`<p class="soft"><code>${name}</code>${texts.colon}${prose(meaning)}</p>`,
              )}${
                schema === undefined
                  ? html``
                  : html`<details>
                      <summary>${texts.responseBody}</summary>
                      <pre
                        tabindex="0"
                        aria-label="${fill(texts.responseBodyOf, endpoint.id)}"
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

/** Renders contract text; backticks mark code. */
export function prose(text: string): Html {
  return html`${text.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))}`;
}
