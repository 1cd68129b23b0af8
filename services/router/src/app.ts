/** What the router offers: the table of contents. */
import * as contract from "@triptych/contracts";
import { createServer, loadPageAssets, type Server } from "@triptych/server";
import type { Logger } from "pino";
import { routerContract } from "./contract.ts";
import type { Access } from "./domain/access.ts";
import type { Router } from "./domain/router.ts";
import type { Caller } from "./http/caller.ts";
import { decisionsHandler, systemOneHandler } from "./http/compat.ts";
import * as deciding from "./http/decisions.ts";
import { identifyWith } from "./http/identify.ts";
import * as information from "./http/information.ts";
import { mountPages } from "./http/pages.ts";
import { readByHandler } from "./http/read-by-handler.ts";
import { pageAssets } from "./pages/page-assets.ts";

export interface AppParts {
  readonly logger: Logger;
  readonly publicUrl: string | undefined;
  readonly access: Access;
  readonly rate: number | null;
  readonly showMetrics: (registry: Server<Caller>["metrics"]["registry"]) => void;
}

export async function createApp({ logger, publicUrl, access, rate, showMetrics }: AppParts, router: Router) {
  const server = await createServer<Caller>({
    contract: routerContract,
    logger,
    publicUrl,
    identify: identifyWith(access),
    readiness: () => null,
    headers: { "Cache-Control": "no-store" },
    problemMembers: (body) => ({ error: contract.errorMember(body) }),
    ofProcess: true,
  });
  showMetrics(server.metrics.registry);

  server.mount(readByHandler(contract.route), deciding.routeHandler(router));
  server.mount(readByHandler(contract.decide), deciding.decideHandler(router));
  server.mount(readByHandler(contract.noul), deciding.noulHandler(router));
  server.mount(readByHandler(contract.score), deciding.scoreHandler(router));
  server.mount(readByHandler(contract.assess), deciding.assessHandler(router));
  server.mount(readByHandler(contract.systemone), systemOneHandler(router));
  server.mount(readByHandler(contract.decisions), decisionsHandler(router));
  server.mount(contract.listModels, information.listModelsHandler(router));
  server.mount(contract.listExperts, information.listExpertsHandler(router));
  server.mount(contract.getHealth, information.healthHandler(router, { version: "0.1.0", startedAt: router.clock() }));
  server.mount(contract.getPricing, information.pricingHandler(rate));
  mountPages(server, await loadPageAssets(pageAssets()));
  return server;
}
