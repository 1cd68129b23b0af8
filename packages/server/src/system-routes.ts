/**
 * Endpoints that every service has in addition to its contract: health, metrics, documents and pages. None requires a
 * credential.
 */
import { sendAsset, type LoadedAsset } from "./pages/page-assets.ts";
import { registerPages } from "./page-routes.ts";
import { llmsGuide } from "./llms.ts";
import { openApiDocument } from "./openapi.ts";
import { Problem } from "./problem.ts";
import type { Server, ServerOptions } from "./server.ts";

export function registerSystemRoutes<Caller>(
  server: Server<Caller>,
  options: ServerOptions<Caller>,
  assets: readonly LoadedAsset[],
): void {
  const { contract, readiness, readinessDetails, metricsText } = options;
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
  for (const asset of assets) server.mountDocument(asset.path, (request, reply) => sendAsset(request, reply, asset));
  registerPages(server, options);
}
