/**
 * `/docs`: a hand-written introduction and a reference generated from the contract, so that it always matches the
 * service. Pure: contract and facts in, HTML out.
 */
import type { ServiceContract } from "@triptych/contracts";
import { fill, html, prose, referenceLink, referencePage, type Html, type PageLanguage } from "@triptych/server";
import type { Language } from "../domain/language.ts";
import type { Plan } from "../domain/plans.ts";
import { frenchProblemOnPage } from "../french/problem-texts.ts";
import { parameterExample } from "./docs-examples.ts";
import { introduction } from "./docs-introduction.ts";
import { fieldTable, formatTable, table } from "./docs-items.ts";
import { DOCS_TEXTS } from "./docs-texts.ts";
import { PAGES } from "./home.ts";

export interface DocsFacts {
  readonly origin: string;
  /** Contact for API keys: a URL, an email address or text; null if not configured. */
  readonly contact: string | null;
  readonly plans: readonly Plan[];
  /** `YYYY-MM-DD` (UTC), for examples that need a recent day. */
  readonly today: string;
  readonly language: PageLanguage;
}

export function docsPage(contract: ServiceContract, facts: DocsFacts): string {
  const { language } = facts;
  const texts = DOCS_TEXTS[language.language];
  return referencePage({
    contract,
    origin: facts.origin,
    links: [...PAGES[language.language], referenceLink(language.texts)],
    language,
    ...(language.language === "fr" && { problem: frenchProblemOnPage }),
    variable: "DIRECTORY_KEY",
    parameterExample: (endpoint, parameter) => parameterExample(endpoint, parameter, facts.today),
    contents: {
      before: html`<li><a href="#introduction">${texts.introduction.title}</a></li>
        <li><a href="#keys">${texts.keys.title}</a></li>
        <li><a href="#plans">${texts.plans.title}</a></li>`,
      after: html`<li><a href="#fields">${texts.fields.title}</a></li>
        <li><a href="#formats">${texts.formats.title}</a></li>`,
    },
    chapters: {
      before: html`${introduction(facts)} ${carriers(contract, facts)} ${plans(facts)}`,
      after: html`${fieldTable(language.language)} ${formatTable(language.language)}`,
    },
  });
}

function carriers(contract: ServiceContract, { origin, language }: DocsFacts): Html {
  const texts = DOCS_TEXTS[language.language].keys;
  const ways = {
    bearer: (address: string) => `curl -H "Authorization: Bearer $DIRECTORY_KEY" "${address}"`,
    header: (address: string) => `curl -H "X-API-Key: $DIRECTORY_KEY" "${address}"`,
    query: (address: string) => `curl "${address}?key=$DIRECTORY_KEY"`,
    cookie: (address: string) => `curl -b "key=$DIRECTORY_KEY" "${address}"`,
  };
  return html`<section id="keys">
    <h2>${texts.title}</h2>
    <p>${texts.about}</p>
    <ol>
      ${(contract.credentials["key"] ?? []).map(
        ({ in: carrier, description }) =>
          html`<li>
            <p><code>${description}</code></p>
            <pre><code>${ways[carrier](`${origin}/api/meta`)}</code></pre>
          </li>`,
      )}
    </ol>
    <p>${prose(texts.advice)}</p>
  </section>`;
}

function plans({ plans, contact, language: { language } }: DocsFacts): Html {
  const texts = DOCS_TEXTS[language].plans;
  const yes = (granted: boolean) => (granted ? texts.yes : texts.no);
  return html`<section id="plans">
    <h2>${texts.title}</h2>
    ${table(
      texts.title,
      [texts.plan, texts.price, texts.items, texts.fields, texts.geo, texts.export, texts.requests],
      plans.map(
        (plan) =>
          html`<tr>
            <th scope="row">${plan.id}</th>
            <td>${texts.prices[plan.id]}</td>
            <td>${fill(plan.variant === "all" ? texts.andMore : "{}", grouped(plan.itemsPerDay, language))}</td>
            <td>${texts.variants[plan.variant]}</td>
            <td>${yes(plan.geo)}</td>
            <td>${yes(plan.export)}</td>
            <td>${fill(texts.window, plan.requestsPerMinute)}</td>
          </tr>`,
      ),
    )}
    <p>${contact === null ? html`${texts.operator}` : html`${texts.contact} ${contactLink(contact)}.`}</p>
    <p>${prose(texts.counting)}</p>
    <p>${texts.headers}</p>
    <pre><code>RateLimit-Policy: "minute";q=120;w=60, "items-day";q=2000;w=86400
RateLimit: "minute";r=118;t=42, "items-day";r=1980;t=36012
X-Quota-Limit: 2000
X-Quota-Remaining: 1980
X-Quota-Reset: 36012
X-Quota-Unit: items</code></pre>
    <p>${prose(texts.retry)}</p>
  </section>`;
}

function contactLink(contact: string): Html {
  if (/^https?:\/\//.test(contact)) return html`<a href="${contact}" rel="noopener noreferrer">${contact}</a>`;
  if (/^[^@\s]+@[^@\s]+$/.test(contact)) return html`<a href="mailto:${contact}">${contact}</a>`;
  return html`${contact}`;
}

function grouped(count: number, language: Language): string {
  return count.toLocaleString(language === "fr" ? "fr-FR" : "en-GB");
}
