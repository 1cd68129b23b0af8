import * as contract from "@triptych/contracts";
import {
  createServer,
  Problem,
  routePattern,
  sendPage,
  storeReadiness,
  type ConnectionLimits,
  type Server,
  type BuiltPage,
} from "@triptych/server";
import { classifyStorageError } from "@triptych/storage";
import type { FastifyRequest } from "fastify";
import type { Tracing } from "@triptych/tracing";
import type { Logger } from "pino";
import type { Bus } from "./bus/open-bus.ts";
import { isChannelRequest } from "./worker-connections/upgrade.ts";
import { createLoginGuard } from "./domain/login-guard.ts";
import type { DeliveryServices } from "./domain/delivery.ts";
import type { Panel } from "./domain/panel.ts";
import { admitAnonymousWith, createAuthenticate, recognizeWith } from "./http/identify.ts";
import * as account from "./http/account.ts";
import * as busHandlers from "./http/bus.ts";
import type { Caller } from "./http/caller.ts";
import * as candidates from "./http/candidates.ts";
import { createAnonymousCount, createEnter, type Rates } from "./compose/access.ts";
import * as deliveries from "./http/deliveries.ts";
import * as fires from "./http/schedule-fires.ts";
import * as memories from "./http/memories.ts";
import { checkAppKey } from "./http/app-credential.ts";
import * as repoChecks from "./http/repos.ts";
import * as repos from "./http/repos.ts";
import * as runs from "./http/runs.ts";
import * as statements from "./http/statements.ts";
import * as signIn from "./http/sign-in.ts";
import {
  checked,
  checkEnvironment,
  checkGlobs,
  checkPlainTexts,
  checkSecrets,
  checkScheduleChange,
  validateTeam,
} from "./http/body-checks.ts";
import * as workers from "./http/workers.ts";
import { answerElsewhere, mountDashboard, missingDashboardPage } from "./pages/dashboard.ts";
import { mountWorkerDownload, type WorkerPack } from "./pages/worker-download.ts";
import { timeRequests } from "./compose/service-metrics.ts";
import * as followUps from "./http/follow-ups.ts";
import * as runFiles from "./http/worker-http.ts";

export interface AppParts {
  readonly logger: Logger;
  readonly tracing?: Tracing | null;
  readonly publicUrl: string | undefined;
  readonly csrfKey: Uint8Array;
  readonly rates: Rates;
  readonly loginFailures: number;
  readonly trustedProxies?: readonly string[];
  readonly connections?: Partial<ConnectionLimits>;
  readonly deliveryServices: DeliveryServices;
  /** The built dashboard; absent or null if its files are missing. */
  readonly dashboard?: BuiltPage | null;
  readonly workerPack?: WorkerPack | undefined;
  readonly viewerFolder?: Promise<string | null> | undefined;
  readonly bus: Pick<Bus, "live" | "changes" | "streams" | "metrics">;
}

/** Responses belong to one account, so caches must not store them. */
const HEADERS = {
  "Cache-Control": "no-store",
  Pragma: "no-cache",
  Expires: "0",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
};

/** Time to upload a bundle of 64 MiB at 2 Mbit/s. */
const UPLOAD_MS = 5 * 60_000;

export async function createApp(parts: AppParts, about: Omit<Panel, "url">) {
  const { logger, publicUrl, csrfKey, rates, dashboard = null } = parts;
  const panel: Panel = { ...about, url: () => server.url() };
  const server = await createServer<Caller>({
    contract: contract.panelContract,
    logger,
    tracing: parts.tracing,
    publicUrl,
    identify: (request, reply, endpoint) => identify(request, reply, endpoint),
    readiness: storeReadiness(panel.store.writeError, logger),
    headers: HEADERS,
    translate,
    ofProcess: true,
    ...(parts.trustedProxies !== undefined && { trustedProxies: parts.trustedProxies }),
    ...(dashboard !== null && { elsewhere: answerElsewhere(dashboard) }),
    viewerFolder: parts.viewerFolder,
    upgrades: isChannelRequest,
    uploadTimeoutMs: UPLOAD_MS,
    ...(parts.connections && { connections: parts.connections }),
    admitAnonymous: admitAnonymousWith(panel, createAnonymousCount(panel.now)),
  });
  timeRequests(server.fastify, server.metrics.registry);
  const { tokens, checkTokens } = parts.deliveryServices;
  const gate = { ...panel, csrfKey, enter: createEnter(rates, panel.now), tokens, checkTokens };
  const identify = createAuthenticate(gate);
  addHooks(server);
  mountRepos(server, panel);
  mountRuns(server, panel);
  mountDeliveries(server, panel, parts.deliveryServices);
  mountAccount(server, panel, parts);
  mountWorkers(server, panel);
  mountBus(server, { panel, bus: parts.bus, recognize: recognizeWith(gate) });
  mountPages(server, dashboard);
  mountWorkerDownload(server, parts.workerPack);
  return server;
}

type PanelServer = Server<Caller>;

function addHooks(server: PanelServer): void {
  // By contract this path has GET and POST only, not even HEAD, and ignores the content type.
  server.fastify.addHook("onRequest", (request, _reply, done) => {
    const isLicense = pathOf(request) === contract.LICENSE_PATH;
    if (isLicense) delete request.headers["content-type"];
    const isOther = isLicense && !["GET", "POST"].includes(request.method);
    done(isOther ? new Problem("method_not_allowed", { headers: { Allow: "GET, POST" } }) : undefined);
  });

  // One URL serves pages and an event stream, so caches must vary by `Accept`.
  server.fastify.addHook("onRequest", (request, reply, done) => {
    if (pathOf(request) === BUS_ROUTE) reply.header("Vary", "Accept");
    done();
  });
  // Many clients send a JSON content type with an empty body.
  server.fastify.addHook("onRequest", ({ headers }, _reply, done) => {
    const isEmpty = headers["transfer-encoding"] === undefined && (headers["content-length"] ?? "0") === "0";
    if (isEmpty) delete headers["content-type"];
    done();
  });
  // A missing body is read as empty, so that required members are reported as missing.
  server.fastify.addHook("preHandler", (request, _reply, done) => {
    if (request.body === undefined) request.body = {};
    done();
  });
}

function mountRepos(server: PanelServer, panel: Panel): void {
  server.mount(contract.listRepos, repos.listReposHandler(panel));
  server.mount(contract.createRepo, repos.createRepoHandler(panel));
  server.mount(contract.getRepo, repos.getRepoHandler(panel));
  server.mount(
    contract.updateRepo,
    checked(
      repos.updateRepoHandler(panel),
      checkScheduleChange,
      validateTeam,
      checkGlobs,
      checkEnvironment,
      checkSecrets,
      checkPlainTexts,
      checkAppKey,
    ),
  );
  server.mount(contract.deleteRepo, repos.deleteRepoHandler(panel));
  server.mount(contract.checkRepo, repoChecks.checkRepoHandler(panel));
  server.mount(contract.listFires, fires.listFiresHandler(panel));
  server.mount(contract.listMemories, memories.listMemoriesHandler(panel));
  server.mount(contract.addMemory, checked(memories.addMemoryHandler(panel), checkGlobs, checkSecrets));
  server.mount(contract.updateMemory, checked(memories.updateMemoryHandler(panel), checkGlobs, checkSecrets));
  server.mount(contract.deleteMemory, memories.deleteMemoryHandler(panel));
}

function mountRuns(server: PanelServer, panel: Panel): void {
  server.mount(contract.startRun, checked(runs.startRunHandler(panel), validateTeam, checkGlobs, checkSecrets));
  server.mount(contract.startExplore, checked(runs.startExploreHandler(panel), checkGlobs));
  server.mount(contract.listRunsOfRepo, runs.listRunsOfRepoHandler(panel));
  server.mount(contract.listRuns, runs.listRunsHandler(panel));
  server.mount(contract.getRun, runs.getRunHandler(panel));
  server.mount(contract.cancelRun, runs.cancelRunHandler(panel));
  server.mount(contract.followUpRun, checked(followUps.followUpRunHandler(panel), checkSecrets));
  server.mount(contract.retryRun, checked(runs.retryRunHandler(panel), checkSecrets));
  server.mount(contract.listCandidates, candidates.listCandidatesHandler(panel));
  server.mount(contract.getExploreStats, candidates.getExploreStatsHandler(panel));
  server.mount(contract.runCandidate, checked(candidates.runCandidateHandler(panel), validateTeam));
  server.mount(contract.rejectCandidate, checked(candidates.rejectCandidateHandler(panel), checkSecrets));
}

function mountDeliveries(server: PanelServer, panel: Panel, deliveryServices: DeliveryServices): void {
  const context = { ...panel, ...deliveryServices };
  server.mount(contract.listGitRefs, runFiles.listGitRefsHandler(context));
  server.mount(contract.fetchGitPack, runFiles.fetchGitPackHandler(context));
  server.mount(contract.listCheckRefs, runFiles.listCheckRefsHandler(context));
  server.mount(contract.fetchCheckPack, runFiles.fetchCheckPackHandler(context));
  server.mount(contract.uploadBundle, runFiles.uploadBundleHandler(context));
  server.mount(contract.uploadArtifact, runFiles.uploadArtifactHandler(context));
  server.mount(contract.getRunDiff, deliveries.getRunDiffHandler(context));
  server.mount(contract.getRunArtifact, deliveries.getRunArtifactHandler(context));
  server.mount(contract.openPr, deliveries.openPrHandler(context));
  server.mount(contract.getRunStatement, statements.getRunStatementHandler(context));
  server.mount(contract.getStatementKeys, statements.getStatementKeysHandler(panel));
}

function mountAccount(server: PanelServer, panel: Panel, parts: Pick<AppParts, "csrfKey" | "loginFailures">): void {
  server.mount(contract.getAccount, account.getAccountHandler(panel));
  server.mount(contract.getLicense, account.getLicenseHandler(panel));
  server.mount(contract.rotateLicense, account.rotateLicenseHandler(panel));
  server.mount(contract.listTokens, account.listTokensHandler(panel));
  server.mount(contract.createToken, account.createTokenHandler(panel));
  server.mount(contract.deleteToken, account.deleteTokenHandler(panel));
  const context = { panel, csrfKey: parts.csrfKey, guard: createLoginGuard(parts.loginFailures) };
  server.mount(contract.login, signIn.loginHandler(context));
  server.mount(contract.signInOnce, signIn.signInOnceHandler(context));
  server.mount(contract.logout, signIn.logoutHandler(context));
  server.mount(contract.getSession, signIn.getSessionHandler(context));
}

function mountWorkers(server: PanelServer, panel: Panel): void {
  server.mount(contract.connectWorker, workers.connectWorkerHandler());
  server.mount(contract.workerStatus, workers.workerStatusHandler(panel));
  server.mount(contract.listWorkerModels, workers.listWorkerModelsHandler(panel));
  server.mount(contract.probeWorker, workers.probeWorkerHandler(panel));
  server.mount(contract.updateWorker, workers.updateWorkerHandler(panel));
  server.mount(contract.deleteWorker, workers.deleteWorkerHandler(panel));
}

function mountBus(server: PanelServer, context: busHandlers.BusDeps & Pick<AppParts, "bus">): void {
  server.mount(contract.readBus, busHandlers.readBusHandler(context));
  server.mount(contract.watchChanges, busHandlers.watchChangesHandler(context));
  context.bus.metrics.showIn(server.metrics.registry);
  // Streams end only with their runs, and a stop would wait for them.
  server.fastify.addHook("preClose", async () => context.bus.streams[Symbol.dispose]());
}

function mountPages(server: PanelServer, dashboard: BuiltPage | null): void {
  if (dashboard !== null) mountDashboard(server, dashboard);
  else
    for (const path of DASHBOARD_PATHS)
      server.mountDocument(path, (_request, reply) => sendPage(reply, missingDashboardPage(server.url())));
}

const BUS_ROUTE = contract.readBus.path.replace("{id}", ":id");

const DASHBOARD_PATHS = ["/", "/login", "/runs/{id}"];

/** The route pattern, or the path of the URL if no route matches the method. */
function pathOf({ routeOptions, url }: FastifyRequest): string {
  return routeOptions.url ?? routePattern(url);
}

/** An oversized body has its own code. An unavailable or overloaded store is neither a client error nor a bug. */
function translate(error: unknown): Problem | null {
  const isIt = error instanceof Error && "code" in error && error.code === "FST_ERR_CTP_BODY_TOO_LARGE";
  if (isIt) return new Problem("too_large");
  const isStorageError = classifyStorageError(error) !== null;
  return isStorageError ? new Problem("store_unavailable", { cause: error, headers: { "Retry-After": "1" } }) : null;
}
