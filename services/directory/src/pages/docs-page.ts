/**
 * `/docs`: an introduction in French and English written by hand, and a reference generated from the contract, so that no
 * sentence about a parameter, a field or a problem can differ from what the service does. Pure: contract and facts in, HTML out.
 */
import { problems, type ProblemCode, type ServiceContract } from "@triptych/contracts";
import { html, type Html, pageDocument } from "@triptych/server";
import { introduction } from "./docs-introduction.ts";
import { fieldTable, formatTable } from "./docs-items.ts";
import { endpointSection, prose } from "./docs-reference.ts";

export interface DocsFacts {
  /** Public address of the service, without a slash at its end. */
  readonly origin: string;
  /** Where a key is asked for: an address of a page, an e-mail address, or words; null when the operator says nothing. */
  readonly contact: string | null;
  readonly plans: readonly DocsPlan[];
  /** `YYYY-MM-DD` (UTC), for the examples that need a recent day. */
  readonly today: string;
}

/** What the page says of a plan: `Plan` of the domain has it all. */
export interface DocsPlan {
  readonly id: string;
  readonly requestsPerMinute: number;
  readonly itemsPerDay: number;
  readonly variant: "summary" | "all";
  readonly geo: boolean;
  readonly export: boolean;
  readonly price: string;
}

export function docsPage(contract: ServiceContract, facts: DocsFacts): string {
  return pageDocument({
    language: "en",
    title: `${contract.title}: documentation`,
    styles: ["/docs/tokens.css", "/docs/docs.css"],
    scripts: ["/docs/docs.js"],
    body: html`<a class="skip" href="#content">Skip to the content</a>
      <div class="frame">
        ${contents(contract)}
        <main id="content">
          <h1>${contract.title}</h1>
          <p class="lead">${contract.description}</p>
          ${introduction(facts)} ${carriers(contract, facts)} ${plans(facts)} ${tryIt(contract)}
          <section id="reference">
            <h2>Reference</h2>
            <p>
              Generated from the contract that the service validates with. The same as data:
              <a href="/openapi.json">OpenAPI 3.1</a>, <a href="/api">discovery document</a>,
              <a href="/llms.txt">guide for agents</a>.
            </p>
            ${contract.endpoints.map((endpoint) => endpointSection(endpoint, facts))}
          </section>
          ${fieldTable()} ${formatTable()} ${errors(contract)}
        </main>
      </div>`,
  });
}

function contents(contract: ServiceContract): Html {
  return html`<nav class="contents" aria-label="Contents">
    <label class="filter" hidden
      >Filter <input id="filter" type="search" autocomplete="off" aria-describedby="filtered"
    /></label>
    <p id="filtered" role="status" class="soft"></p>
    <ul>
      <li><a href="#francais" lang="fr">En français</a></li>
      <li><a href="#english">In English</a></li>
      <li><a href="#keys">Keys</a></li>
      <li><a href="#plans">Plans and limits</a></li>
      <li id="try-link" hidden><a href="#try">Try it</a></li>
      <li>
        <a href="#reference">Reference</a>
        <ul>
          ${contract.endpoints.map(
            ({ id, path }) =>
              html`<li>
                <a href="#${id}"><code>${path}</code></a>
              </li>`,
          )}
        </ul>
      </li>
      <li><a href="#fields">Fields of an item</a></li>
      <li><a href="#formats">Formats</a></li>
      <li><a href="#errors">Errors</a></li>
      <li><a href="/carte">Map</a></li>
    </ul>
  </nav>`;
}

function carriers(contract: ServiceContract, { origin }: DocsFacts): Html {
  const ways = {
    bearer: (address: string) => `curl -H "Authorization: Bearer $DIRECTORY_KEY" "${address}"`,
    header: (address: string) => `curl -H "X-API-Key: $DIRECTORY_KEY" "${address}"`,
    query: (address: string) => `curl "${address}?key=$DIRECTORY_KEY"`,
    cookie: (address: string) => `curl -b "key=$DIRECTORY_KEY" "${address}"`,
  };
  return html`<section id="keys">
    <h2>Keys</h2>
    <p>
      One of three carriers, whichever your client can set. The same key in several is fine; two different keys are
      refused.
    </p>
    <ol>
      ${(contract.credentials["key"] ?? []).map(
        ({ in: carrier, description }) =>
          html`<li>
            <p><code>${description}</code></p>
            <pre><code>${ways[carrier](`${origin}/api/meta`)}</code></pre>
          </li>`,
      )}
    </ol>
    <p>
      Prefer a header. An address ends up in histories and logs; this service takes <code>?key=</code> out of its own
      logs, links and errors, and marks such an answer <code>Cache-Control: private, no-store</code>.
    </p>
  </section>`;
}

function plans({ plans, contact }: DocsFacts): Html {
  const yes = (granted: boolean) => (granted ? "yes" : "no");
  return html`<section id="plans">
    <h2>Plans and limits</h2>
    <div class="scroll" tabindex="0" role="region" aria-label="Plans">
      <table>
        <thead>
          <tr>
            <th scope="col">Plan</th>
            <th scope="col">Price</th>
            <th scope="col">Items a day</th>
            <th scope="col">Fields</th>
            <th scope="col">Search around a point</th>
            <th scope="col">Export</th>
            <th scope="col">Requests</th>
          </tr>
        </thead>
        <tbody>
          ${plans.map(
            (plan) =>
              html`<tr>
                <th scope="row">${plan.id}</th>
                <td>${plan.price}</td>
                <td>${grouped(plan.itemsPerDay)}${plan.variant === "all" ? " and more" : ""}</td>
                <td>${plan.variant}</td>
                <td>${yes(plan.geo)}</td>
                <td>${yes(plan.export)}</td>
                <td>${plan.requestsPerMinute} in any 60 s</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    <p>
      ${contact === null ? html`Keys are given out by the operator of this service.` : html`Ask for a key: ${contactLink(contact)}.`}
    </p>
    <p>
      An item counts when it is really sent in a 200: a list entry, a feature, a row, a single item. Totals, facets,
      <code>/api/meta</code>, <code>/api/usage</code>, HEAD, 304 and errors cost no item. The day is the UTC calendar
      day. A page that meets the end of the day's quota is cut, says <code>"quota_truncated": true</code>, and its
      <code>next</code> link continues right behind it.
    </p>
    <p>Every answer to a valid key says what is left:</p>
    <pre><code>RateLimit-Policy: "minute";q=120;w=60, "items-day";q=2000;w=86400
RateLimit: "minute";r=118;t=42, "items-day";r=1980;t=36012
X-Quota-Limit: 2000
X-Quota-Remaining: 1980
X-Quota-Reset: 36012
X-Quota-Unit: items</code></pre>
    <p>A 429 carries <code>Retry-After</code>: a client that waits so long is accepted.</p>
  </section>`;
}

function contactLink(contact: string): Html {
  if (/^https?:\/\//.test(contact)) return html`<a href="${contact}" rel="noopener noreferrer">${contact}</a>`;
  if (/^[^@\s]+@[^@\s]+$/.test(contact)) return html`<a href="mailto:${contact}">${contact}</a>`;
  return html`${contact}`;
}

function grouped(count: number): string {
  return count.toLocaleString("en-GB");
}

/** Useless without script, so it stays hidden until the script is there. */
function tryIt(contract: ServiceContract): Html {
  const examples = contract.endpoints.flatMap((endpoint) => endpoint.examples ?? []);
  return html`<section id="try" class="try" hidden>
    <h2>Try it</h2>
    <form id="try-form">
      <label for="try-key">API key</label>
      <input id="try-key" type="password" autocomplete="off" spellcheck="false" aria-describedby="try-key-hint" />
      <p id="try-key-hint" class="soft">
        Kept in the memory of this page only; gone when you leave it. It travels in the Authorization header.
      </p>
      <label for="try-path">Request</label>
      <div class="together">
        <span class="method">GET</span
        ><input
          id="try-path"
          type="text"
          list="try-examples"
          spellcheck="false"
          autocomplete="off"
          value="${examples[0] ?? "/api"}"
        /><button class="primary">Send</button>
      </div>
      <datalist id="try-examples">${examples.map((example) => html`<option value="${example}"></option>`)}</datalist>
    </form>
    <div id="try-answer" hidden>
      <p id="try-status" role="status"></p>
      <pre id="try-headers" tabindex="0" aria-label="Headers of the answer"></pre>
      <pre id="try-body" tabindex="0" aria-label="Body of the answer"></pre>
    </div>
  </section>`;
}

/** Refusals that no endpoint lists because any request can meet them. */
const ANYWHERE: readonly ProblemCode[] = ["not_found", "method_not_allowed", "headers_too_large", "internal"];

function errors(contract: ServiceContract): Html {
  const codes = new Set([...contract.endpoints.flatMap((endpoint) => endpoint.problems), ...ANYWHERE]);
  const entries = Object.entries(problems).filter(([code]) => [...codes].some((one) => one === code));
  return html`<section id="errors">
    <h2>Errors</h2>
    <p>
      Every error is <code>application/problem+json</code> (RFC 9457). Read <code>code</code>; <code>errors</code> lists
      all faults of a request at once, each with its place and, where there is one, the nearest known value.
    </p>
    <pre><code>{
  "type": "…/problems/validation_failed",
  "title": "The request has faults",
  "status": 400,
  "code": "validation_failed",
  "detail": "…",
  "instance": "/api/items",
  "request_id": "req_…",
  "errors": [{ "path": "?regoin", "reason": "unknown_parameter", "message": "…", "suggestions": ["region"] }]
}</code></pre>
    <div class="scroll" tabindex="0" role="region" aria-label="Errors">
      <table>
        <thead>
          <tr>
            <th scope="col">Status</th>
            <th scope="col">Code</th>
            <th scope="col">Meaning and remedy</th>
          </tr>
        </thead>
        <tbody>
          ${entries.map(
            ([code, { status, title, explanation }]) =>
              html`<tr data-filter>
                <td>${status}</td>
                <th scope="row">
                  <a href="/problems/${code}"><code>${code}</code></a>
                </th>
                <td><b>${title}.</b> ${prose(explanation)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`;
}
