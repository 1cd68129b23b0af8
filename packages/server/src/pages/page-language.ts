/** Language of a page: `?lang=`, else `Accept-Language`, else English. */
import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { acceptedLanguage } from "../accept.ts";
import { html, type Html } from "../html.ts";
import { PAGE_TEXTS, type Language, type PageTexts } from "./page-texts.ts";

export interface PageLanguage {
  readonly language: Language;
  readonly texts: PageTexts;
  /** Whether the page also exists in the other language. */
  readonly hasSwitch: boolean;
  /** Adds `lang` to a path if the reader chose the language with this parameter. */
  readonly link: (path: string) => string;
}

export interface ProblemText {
  readonly title: string;
  readonly explanation: string;
}

export const ENGLISH: PageLanguage = {
  language: "en",
  texts: PAGE_TEXTS.en,
  hasSwitch: false,
  link: (path) => path,
};

const NAMES: Readonly<Record<Language, string>> = { fr: "Français", en: "English" };
const LANGUAGES = ["en", "fr"] as const;

export function pageLanguageOf(request: FastifyRequest): PageLanguage {
  const { lang } = request.query as { readonly lang?: unknown };
  const chosen = LANGUAGES.find((language) => language === lang);
  const language = chosen ?? acceptedLanguage<Language>(request, LANGUAGES);
  return {
    language,
    texts: PAGE_TEXTS[language],
    hasSwitch: true,
    link: chosen === undefined ? (path) => path : (path) => withLanguage(path, chosen),
  };
}

function withLanguage(path: string, language: Language): string {
  const [address = "", fragment] = path.split("#");
  return `${address}?lang=${language}${fragment === undefined ? "" : `#${fragment}`}`;
}

/** Uses links, so that it works without scripts. */
export function languageSwitch({ language, texts, hasSwitch }: PageLanguage, path: string): Html {
  if (!hasSwitch) return html``;
  return html`<nav class="languages-nav" aria-label="${texts.languages}">
    ${(["fr", "en"] as const).map(
      (name) =>
        html`<a
          href="${withLanguage(path, name)}"
          lang="${name}"
          hreflang="${name}"
          ${name === language ? html`aria-current="true"` : html``}
          >${NAMES[name]}</a
        > `,
    )}
  </nav>`;
}

/** Sets the headers of a page that depends on `Accept-Language`. Returns true if the client's copy is current. */
export function isPageFresh(
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  { text, language }: { readonly text: string; readonly language: Language },
): boolean {
  const etag = `W/"${language}-${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
  reply.headers({
    ETag: etag,
    "Cache-Control": "no-cache",
    "Content-Language": language,
    Vary: "Accept, Accept-Language",
  });
  return request.headers["if-none-match"] === etag;
}
