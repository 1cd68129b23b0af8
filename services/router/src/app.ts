import * as contract from "@triptych/contracts";
import * as deciding from "./http/decisions.ts";
import * as heads from "./http/heads.ts";
import * as information from "./http/information.ts";
import {
  createServer,
  mountPlayground,
  storeReadiness,
  mapStorageError,
  type ConnectionLimits,
  type Server,
} from "@triptych/server";
import { classifyStorageError } from "@triptych/storage";
import type { Tracing } from "@triptych/tracing";
import type { Logger } from "pino";
import { routerContract } from "./contract.ts";
import type { Access } from "./domain/access.ts";
import type { Router } from "./domain/router.ts";
import { type Caller, hostOptions, createAuthenticate } from "./http/identify.ts";
import { decisionsHandler, systemOneHandler } from "./http/compat.ts";
import { feedbackHandler } from "./http/feedback.ts";
import type { OpenHeads } from "./open-heads.ts";
import { routerHome } from "./pages/home.ts";
import packageFile from "../package.json" with { type: "json" };

export interface AppParts {
  readonly logger: Logger;
  readonly tracing?: Tracing | null;
  readonly publicUrl: string | undefined;
  readonly access: Access;
  /** Hosts accepted without a token, in addition to loopback and the public address. */
  readonly allowedHosts?: readonly string[];
  readonly rate: number | null;
  readonly writeError: () => Promise<string | null>;
  readonly connections?: ConnectionLimits;
  /** Folder of the built playground. */
  readonly playgroundFolder?: Promise<string | null>;
  readonly viewerFolder?: Promise<string | null> | undefined;
  readonly now: () => number;
  readonly showMetrics: (registry: Server<Caller>["metrics"]["registry"]) => void;
}

export async function createApp(parts: AppParts, router: Router, owned: Pick<OpenHeads, "heads" | "feedback">) {
  const { logger, publicUrl, access, rate, showMetrics, writeError, now } = parts;
  const server = await createServer<Caller>({
    contract: routerContract,
    logger,
    tracing: parts.tracing,
    publicUrl,
    identify: createAuthenticate(access),
    hosts: hostOptions(access, parts.allowedHosts),
    readiness: storeReadiness(writeError, logger),
    headers: { "Cache-Control": "no-store" },
    translate: mapStorageError(classifyStorageError, "The head store is unavailable."),
    problemMembers: (body) => ({ error: contract.errorMember(body) }),
    home: routerHome,
    viewerFolder: parts.viewerFolder,
    ...(parts.connections && { connections: parts.connections }),
    ofProcess: true,
  });
  showMetrics(server.metrics.registry);

  server.mount(contract.route, deciding.routeHandler(router));
  server.mount(contract.decide, deciding.decideHandler(router));
  server.mount(contract.noul, deciding.noulHandler(router));
  server.mount(contract.score, deciding.scoreHandler(router));
  server.mount(contract.assess, deciding.assessHandler(router));
  server.mount(contract.systemone, systemOneHandler(router));
  server.mount(contract.decisions, decisionsHandler(router));
  const headDeps = { heads: owned.heads, url: () => server.url(), now };
  server.mount(contract.createHead, heads.createHeadHandler(headDeps));
  server.mount(contract.listHeads, heads.listHeadsHandler(headDeps));
  server.mount(contract.getHead, heads.getHeadHandler(headDeps));
  server.mount(contract.deleteHead, heads.deleteHeadHandler(headDeps));
  server.mount(contract.getHeadArtifact, heads.headArtifactHandler(headDeps));
  server.mount(contract.getHeadCard, heads.headCardHandler(headDeps));
  server.mount(contract.shadowHead, heads.shadowHeadHandler(headDeps));
  server.mount(contract.promoteHead, heads.promoteHeadHandler(headDeps));
  const answered = { feedback: owned.feedback, experts: router.experts, now };
  server.mount(contract.sendFeedback, feedbackHandler(answered));
  server.mount(contract.listModels, information.listModelsHandler(router));
  server.mount(contract.listExperts, information.listExpertsHandler(router));
  server.mount(
    contract.getHealth,
    information.healthHandler(router, { version: packageFile.version, startedAt: router.clock() }),
  );
  server.mount(contract.getPricing, information.pricingHandler(rate));
  mountPlayground(server, { title: routerContract.title, paid: null, folder: parts.playgroundFolder });
  return server;
}
