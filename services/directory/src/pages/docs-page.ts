/**
 * `/docs`: a hand-written introduction and a reference generated from the contract, so that it always matches the
 * service. Pure: contract and facts in, HTML out.
 */
import type { ServiceContract } from "@triptych/contracts";
import { html, type Html, REFERENCE, referencePage } from "@triptych/server";
import type { Plan } from "../domain/plans.ts";
import { parameterExample } from "./docs-examples.ts";
import { introduction } from "./docs-introduction.ts";
import { fieldTable, formatTable } from "./docs-items.ts";
import { PAGES } from "./home.ts";

export interface DocsFacts {
  readonly origin: string;
  /** Contact for API keys: a URL, an e-mail address or text; null if not configured. */
  readonly contact: string | null;
  readonly plans: readonly Plan[];
  /** `YYYY-MM-DD` (UTC), for examples that need a recent day. */
  readonly today: string;
}

export function docsPage(contract: ServiceContract, facts: DocsFacts): string {
  return referencePage({
    contract,
    origin: facts.origin,
    links: [...PAGES, REFERENCE],
    variable: "DIRECTORY_KEY",
    parameterExample: (endpoint, parameter) => parameterExample(endpoint, parameter, facts.today),
    contents: {
      before: html`<li><a href="#francais" lang="fr">En français</a></li>
        <li><a href="#english">In English</a></li>
        <li><a href="#keys">Authentication</a></li>
        <li><a href="#plans">Plans and limits</a></li>`,
      after: html`<li><a href="#fields">Fields of an item</a></li>
        <li><a href="#formats">Formats</a></li>`,
    },
    chapters: {
      before: html`${introduction(facts)} ${carriers(contract, facts)} ${plans(facts)}`,
      after: html`${fieldTable()} ${formatTable()}`,
    },
  });
}

function carriers(contract: ServiceContract, { origin }: DocsFacts): Html {
  const ways = {
    bearer: (address: string) => `curl -H "Authorization: Bearer $DIRECTORY_KEY" "${address}"`,
    header: (address: string) => `curl -H "X-API-Key: $DIRECTORY_KEY" "${address}"`,
    query: (address: string) => `curl "${address}?key=$DIRECTORY_KEY"`,
    cookie: (address: string) => `curl -b "key=$DIRECTORY_KEY" "${address}"`,
  };
  return html`<section id="keys">
    <h2>Authentication</h2>
    <p>
      Send the key in any one of these ways. Sending the same key twice is allowed; two different keys are rejected. A
      new, changed or revoked key takes effect within one second.
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
      Prefer a header: URLs end up in histories and logs. This service removes <code>?key=</code> from its own logs,
      links and errors, and sends such responses with <code>Cache-Control: private, no-store</code>.
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
            <th scope="col">Items per day</th>
            <th scope="col">Fields</th>
            <th scope="col">Point and box search</th>
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
                <td>${plan.requestsPerMinute} per 60 s</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    <p>
      ${contact === null ? html`The operator of this service issues API keys.` : html`Request a key: ${contactLink(contact)}.`}
    </p>
    <p>
      Each item sent in a 200 response counts: a list entry, a feature, a row, a single item. Totals, facets,
      <code>/api/meta</code>, <code>/api/usage</code>, HEAD, 304 and errors are free. The quota resets at midnight UTC.
      A page that exceeds the remaining quota is truncated and contains <code>"quota_truncated": true</code>; its
      <code>next</code> link continues after the last item.
    </p>
    <p>Every response to a valid key includes the remaining quota:</p>
    <pre><code>RateLimit-Policy: "minute";q=120;w=60, "items-day";q=2000;w=86400
RateLimit: "minute";r=118;t=42, "items-day";r=1980;t=36012
X-Quota-Limit: 2000
X-Quota-Remaining: 1980
X-Quota-Reset: 36012
X-Quota-Unit: items</code></pre>
    <p>Responses with 429 include <code>Retry-After</code>: retry after that many seconds.</p>
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
