/**
 * Endpoints of every service outside its contract: health, metrics, documents and problem pages. None requires a
 * credential.
 */
import type { FastifyReply } from "fastify";
import { PAGE_HEADERS, CONTENT_SECURITY_POLICY } from "./html.ts";
import { homePage, REFERENCE } from "./pages/home-page.ts";
import { sendAsset, type LoadedAsset } from "./pages/page-assets.ts";
import { problemPage } from "./pages/problem-page.ts";
import { referencePage } from "./pages/reference-page.ts";
import { llmsGuide } from "./llms.ts";
import { openApiDocument } from "./openapi.ts";
import { Problem } from "./problem.ts";
import type { Server, ServerOptions } from "./server.ts";

export function registerSystemRoutes<Caller>(
  server: Server<Caller>,
  { contract, readiness, readinessDetails, docsPage, home, metricsText }: ServerOptions<Caller>,
  assets: readonly LoadedAsset[],
): void {
  const links = [...(home?.links ?? []), REFERENCE];
  server.mountDocument("/livez", () => ({ status: "ok" }));
  server.mountDocument("/readyz", async (request) => {
    const { deep } = request.query as { readonly deep?: unknown };
    const missing = await readiness({ deep: deep === "1" });
    if (missing !== null) throw new Problem("not_ready", { detail: missing, headers: { "Retry-After": "1" } });
    return { status: "ok", ...readinessDetails?.() };
  });
  server.mountDocument("/metrics", async (_request, reply) =>
    reply.type(server.metrics.registry.contentType).send(await (metricsText?.() ?? server.metrics.registry.metrics())),
  );
  server.mountDocument("/openapi.json", () => openApiDocument(contract, { url: server.url() }));
  server.mountDocument("/llms.txt", (_request, reply) =>
    reply.type("text/plain; charset=utf-8").send(llmsGuide(contract, server.url())),
  );
  server.mountDocument("/docs", (_request, reply) =>
    sendPage(reply, docsPage?.(server) ?? referencePage({ contract, origin: server.url(), links })),
  );
  for (const asset of assets) server.mountDocument(asset.path, (request, reply) => sendAsset(request, reply, asset));
  server.mountDocument("/problems/{code}", (request, reply) => {
    const { code } = request.params as { readonly code: string };
    const found = problemPage(code, { contract, url: server.url(), links });
    if (found === null) throw new Problem("not_found");
    return sendPage(reply, found);
  });
  if (home === undefined) return;
  server.mountDocument("/", async (_request, reply) => {
    const missing = await readiness({ deep: false });
    return sendPage(reply, homePage({ contract, url: server.url(), home, missing }));
  });
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
