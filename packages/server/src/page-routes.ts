/** Pages of every service: home, reference and problems. Also in French if the service has French texts. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { CONTENT_SECURITY_POLICY, PAGE_HEADERS } from "./html.ts";
import { mountBuiltPage } from "./pages/built-page.ts";
import { homePage, referenceLink } from "./pages/home-page.ts";
import { ENGLISH, isPageFresh, pageLanguageOf, type PageLanguage } from "./pages/page-language.ts";
import { isProblemCode, problemPage } from "./pages/problem-page.ts";
import { referencePage } from "./pages/reference-page.ts";
import type { PageLink } from "./pages/site-header.ts";
import { Problem } from "./problem.ts";
import type { Server, ServerOptions } from "./server.ts";

type PageOptions<Caller> = Pick<
  ServerOptions<Caller>,
  "contract" | "docsPage" | "french" | "home" | "readiness" | "viewerFolder"
>;

export function registerPages<Caller>(server: Server<Caller>, options: PageOptions<Caller>): void {
  const { docsPage, french, readiness } = options;
  const languageOf = (request: FastifyRequest) => (french === undefined ? ENGLISH : pageLanguageOf(request));
  server.mountDocument("/docs", (request, reply) => {
    const language = languageOf(request);
    const text =
      docsPage?.(server, language) ??
      referencePage({ ...localized(options, language), origin: server.url(), problem: french?.problem, language });
    return sendLocalizedPage({ request, reply }, { text, language });
  });
  mountBuiltPage(server, {
    paths: ["/docs/try"],
    base: "/docs/try/",
    folder: options.viewerFolder ?? Promise.resolve(null),
    title: options.contract.title,
    name: "the request viewer",
  });
  server.mountDocument("/problems/{code}", (request, reply) => {
    const { code } = request.params as { readonly code: string };
    if (!isProblemCode(code)) throw new Problem("not_found");
    const translated = french?.problem(code) ?? null;
    const language = translated === null ? ENGLISH : languageOf(request);
    const text = problemPage(code, {
      ...localized(options, language),
      url: server.url(),
      language,
      ...(language.language === "fr" && translated !== null && { text: translated }),
    });
    return sendLocalizedPage({ request, reply }, { text, language });
  });
  if (options.home === undefined) return;
  server.mountDocument("/", async (request, reply) => {
    const language = languageOf(request);
    const { contract, home } = localized(options, language);
    const reason = await readiness({ deep: false });
    const missing = reason !== null && language.language === "fr" ? (french?.sentence(reason) ?? reason) : reason;
    const text = home === undefined ? "" : homePage({ contract, url: server.url(), home, missing, language });
    return sendLocalizedPage({ request, reply }, { text, language });
  });
}

function localized<Caller>(
  { contract, home, french }: PageOptions<Caller>,
  { language, texts }: PageLanguage,
): Pick<ServerOptions<Caller>, "contract" | "home"> & { readonly links: PageLink[] } {
  const local = language === "fr" && french !== undefined ? french : { contract, home };
  return { contract: local.contract, home: local.home, links: [...(local.home?.links ?? []), referenceLink(texts)] };
}

export function sendLocalizedPage(
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  { text, language }: { readonly text: string; readonly language: PageLanguage },
): FastifyReply {
  const isFresh = isPageFresh({ request, reply }, { text, language: language.language });
  return isFresh ? reply.code(304).send() : sendPage(reply, text);
}

export function sendPage(
  reply: FastifyReply,
  text: string,
  { usesLocation = false }: { readonly usesLocation?: boolean } = {},
): FastifyReply {
  return reply
    .headers({ ...PAGE_HEADERS, "Content-Security-Policy": CONTENT_SECURITY_POLICY })
    .headers(usesLocation ? { "Permissions-Policy": "camera=(), geolocation=(self), microphone=()" } : {})
    .type("text/html; charset=utf-8")
    .send(text);
}
