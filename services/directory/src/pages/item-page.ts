/**
 * `/fiche/<type>/<slug>`: the page of an item, complete without JavaScript with the fields of the free plan. With a key
 * of the visitor, the script adds the fields of its plan; the key stays in the tab and is sent in a header.
 */
import type { SummaryItem } from "@triptych/contracts";
import { html, pageDocument, TOKENS, type Html } from "@triptych/server";
import type { Language } from "../domain/language.ts";
import { ITEM_PAGE_TEXTS, TYPE_NAMES, type ItemPageTexts } from "./item-page-texts.ts";

export interface ItemPageFacts {
  readonly item: SummaryItem;
  readonly jsonLd: object;
  readonly tagLabel: (slug: string) => string;
  /** Absolute URL of this page. */
  readonly canonical: string;
  readonly language: Language;
  readonly attribution: readonly string[];
}

export function itemPage(facts: ItemPageFacts): string {
  const { item, language } = facts;
  const texts = ITEM_PAGE_TEXTS[language];
  const where = [item.commune?.nom, item.departement?.nom ?? item.region?.nom].filter((name) => name != null);
  return pageDocument({
    language,
    title: [item.title, ...new Set(where)].join(", "),
    styles: [TOKENS, "/carte/item-page.css"],
    scripts: ["/carte/key.js", "/carte/item-page.js"],
    icon: "/favicon.ico",
    head: headOf(facts, texts),
    body: html`${header(texts)}
      <main>
        <p class="kind">
          <span class="shape ${item.type}" aria-hidden="true"></span> ${TYPE_NAMES[language][item.type]}
        </p>
        <h1>${item.title}</h1>
        ${item.summary === "" ? html`` : html`<p class="summary">${item.summary}</p>`}
        <p id="description" hidden></p>
        <dl>${summaryRows(facts, texts)} ${DETAIL_FIELDS.map((name) => emptyRow(name, texts.fields[name]))}</dl>
        <nav class="links" aria-label="${texts.related}">
          <a href="${mapLink(item)}">${texts.onMap}</a>
          ${item.commune?.nom == null ? html`` : html`<a href="${communeLink(item)}">${texts.sameCommune(item.commune.nom)}</a>`}
        </nav>
        ${keySection(texts)}
        <p class="soft">${facts.attribution.join(" · ")}</p>
        <p class="soft">${texts.api} <code id="api">/api/item/${item.type}/${item.slug}</code></p>
      </main>`,
  });
}

export function missingItemPage(language: Language, state: "unknown" | "gone"): string {
  const texts = ITEM_PAGE_TEXTS[language];
  const { title, text } = texts[state];
  return pageDocument({
    language,
    title,
    styles: [TOKENS, "/carte/item-page.css"],
    scripts: [],
    icon: "/favicon.ico",
    body: html`${header(texts)}
      <main>
        <h1>${title}</h1>
        <p>${text}</p>
        <p><a href="/carte">${texts.searchMap}</a></p>
      </main>`,
  });
}

function headOf({ item, jsonLd, canonical, language }: ItemPageFacts, texts: ItemPageTexts): Html {
  // A data block is never executed, so the content security policy does not apply; `<` would end it.
  const data = { html: JSON.stringify(jsonLd).replaceAll("<", "\\u003c") };
  return html`<link rel="canonical" href="${canonical}" />
    <meta name="description" content="${item.summary}" />
    <meta property="og:title" content="${item.title}" />
    <meta property="og:type" content="website" />
    <meta property="og:url" content="${canonical}" />
    <meta property="og:description" content="${item.summary}" />
    <meta property="og:locale" content="${language === "fr" ? "fr_FR" : "en_GB"}" />
    <meta property="og:site_name" content="${texts.siteName}" />
    <script type="application/ld+json">
      ${data}
    </script>`;
}

function header(texts: ItemPageTexts): Html {
  return html`<header class="bar">
    <a class="brand" href="/">Triptych <b>directory</b></a>
    <nav aria-label="Triptych"><a href="/carte">${texts.map}</a> <a href="/docs">${texts.docs}</a></nav>
  </header>`;
}

function summaryRows({ item, tagLabel, language }: ItemPageFacts, { fields }: ItemPageTexts): readonly Html[] {
  const { commune, departement, region, tags, updated_at } = item;
  const day = new Intl.DateTimeFormat(language === "fr" ? "fr-FR" : "en-GB", { dateStyle: "long", timeZone: "UTC" });
  const rows: readonly (readonly [name: string, value: Html | null])[] = [
    [
      fields.commune,
      commune?.nom == null ? null : html`${commune.nom}${commune.code === null ? "" : ` (${commune.code})`}`,
    ],
    [fields.departement, departement && html`<a href="/carte?departements=${departement.slug}">${departement.nom}</a>`],
    [fields.region, region && html`<a href="/carte?region=${region.slug}">${region.nom}</a>`],
    [
      fields.tags,
      tags.length === 0
        ? null
        : html`${tags.map((tag) => html`<a class="tag" href="/carte?tag=${tag}">${tagLabel(tag)}</a> `)}`,
    ],
    [fields.updated, html`<time datetime="${updated_at}">${day.format(new Date(updated_at))}</time>`],
  ];
  return rows.flatMap(([name, value]) =>
    value === null
      ? []
      : [
          html`<div>
            <dt>${name}</dt>
            <dd>${value}</dd>
          </div> `,
        ],
  );
}

/** Filled by the script for plans that have them. */
const DETAIL_FIELDS = [
  "address",
  "website",
  "email",
  "phone",
  "opening_hours",
  "access",
  "siret",
  "legal_form",
  "founded",
  "author",
  "published_at",
  "location",
  "licence",
  "sources",
] as const;

function emptyRow(name: string, label: string): Html {
  return html`<div data-field="${name}" hidden>
    <dt>${label}</dt>
    <dd></dd>
  </div> `;
}

function keySection(texts: ItemPageTexts): Html {
  return html`<details id="key-panel" class="script-only">
    <summary>${texts.moreFields}</summary>
    <form id="key-form">
      <label for="key">${texts.key}</label>
      <div class="together">
        <input
          id="key"
          type="password"
          autocomplete="off"
          spellcheck="false"
          maxlength="200"
          aria-describedby="key-why key-refused"
        /><button class="primary">${texts.useKey}</button>
        <button id="forget" type="button" class="plain" hidden>${texts.forgetKey}</button>
      </div>
    </form>
    <p id="key-refused" class="refused" role="alert" data-refused="${texts.refused}" data-failed="${texts.failed}"></p>
    <p id="key-why" class="soft">${texts.keyWhy}</p>
  </details>`;
}

function mapLink({ title, type, departement }: SummaryItem): string {
  const params = new URLSearchParams({ q: title, type });
  if (departement !== null) params.set("departements", departement.slug);
  return `/carte?${params}`;
}

function communeLink({ commune, departement }: SummaryItem): string {
  const params = new URLSearchParams({ commune: commune?.nom ?? "" });
  if (departement !== null) params.set("departements", departement.slug);
  return `/carte?${params}`;
}
