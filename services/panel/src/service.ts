/** Composition of the panel service, in start order; disposal is the reverse. */
import { delimiter, dirname, join } from "node:path";
import { panelContract } from "@triptych/contracts";
import { readConfig } from "@triptych/config";
import {
  installationSecrets,
  type InstallationSecrets,
  openApiText,
  openService,
  repeat,
  type Server,
  connectionLimits,
  loadBuiltPage,
} from "@triptych/server";
import type { Command } from "commander";
import type { Logger } from "pino";
import { deriveKey } from "@triptych/encryption";
import { configuredBlobs } from "./blobs/configured-blobs.ts";
import { createApp, type AppParts } from "./app.ts";
import { panelCommands } from "./commands/panel-commands.ts";
import { PanelConfig, settings } from "./config.ts";
import { makeDemo } from "./demo/make-demo.ts";
import { expireAgedRuns, purgeExpired } from "./domain/retention.ts";
import type { PanelStore } from "./domain/repositories.ts";
import { NO_WORKERS, type Panel } from "./domain/panel.ts";
import type { AccountRecord } from "./domain/records.ts";
import { superviseWorker, messageOf } from "./compose/embedded-worker.ts";
import {
  makeDemoAccounts,
  makeSignInToken,
  presentKey,
  writePanelCredentials,
  writeSignInLink,
} from "./compose/first-start.ts";
import type { Caller } from "./http/caller.ts";
import { openPanel } from "./compose/panel.ts";
import { createRunMetrics } from "./compose/run-metrics.ts";
import { timeCommits } from "./compose/service-metrics.ts";
import { openBackgroundServices } from "./compose/background-services.ts";
import { panelStore } from "./store/open-store.ts";
import { openWithBlobs } from "./store/store-location.ts";

export interface RunningPanel {
  readonly url: string;
  readonly tryFirst: string;
  readonly notes: readonly string[];
  stop(): Promise<void>;
}

type Environment = Readonly<Record<string, string | undefined>>;

export interface CliContext {
  /** Program and leading arguments of `triptych worker`; absent: no embedded worker. */
  readonly workerProgram?: readonly string[];
  /** Folder of the built dashboard; null or absent if there is none. */
  readonly dashboardFolder?: Promise<string | null>;
  /** Path of the packed worker; absent: it cannot be downloaded. */
  readonly workerPack?: () => Promise<string>;
  /** Whether notes go to a terminal. Otherwise they may end in a log and must not contain secrets. */
  readonly hasTerminal?: boolean;
  /** Folder of the built viewer of requests; null or absent if there is none. */
  readonly viewerFolder?: Promise<string | null> | undefined;
}

export function issuesOf(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  return settings.issuesOf(environment);
}

/** Opens store and background work, then listens. Closes everything again when a step fails. */
export async function start(environment: Environment, context: CliContext = {}): Promise<RunningPanel> {
  const { workerProgram, dashboardFolder, viewerFolder, workerPack, hasTerminal = false } = context;
  const config = readConfig(PanelConfig, environment);
  await using service = await openService({ name: "panel", config });
  const { logger, dataFolder, isProduction, tracing, opened } = service;
  const secret = await installationSecrets({ config, dataFolder, isProduction });
  const location = { dataFolder, databaseUrl: config.DATABASE_URL };
  opened.use(await panelStore.lock(location));
  // Before the store is opened: a panel must not start with unusable blob storage.
  const configured = await configuredBlobs(config);
  const { store: openedStore, blobs } = await openWithBlobs(location, { blobs: configured, now: Date.now });
  const { store, showIn: showCommitsIn } = timeCommits(opened.use(openedStore));
  const alone = openPanel({ config, store, secret, workers: NO_WORKERS });
  let server: Server<Caller> | null = null;
  const urlOf = () => server?.url() ?? "";
  const services = opened.use(
    await openBackgroundServices({ config, secret, panel: alone, blobs, logger, tracing, url: urlOf }),
  );
  const panel = { ...alone, workers: services.channel.workers };
  // Published before the first statement: verifiers cache the key set.
  await panel.statementKeys.published();
  const demo = isProduction ? null : await makeDemoAccounts(dataFolder, panel);
  for (const sweep of sweeps(store, logger)) opened.adopt(sweep, (task) => task.stop());

  const folder = (await dashboardFolder) ?? null;
  const dashboard = folder === null ? null : await loadBuiltPage(folder);
  const pages = { dashboard, viewerFolder, workerPack };
  server = await createApp({ ...appParts(config, secret), ...services, logger, tracing, ...pages }, panel);
  opened.adopt(server, (server) => server.stop());
  services.deliveryMetrics.showIn(server.metrics.registry);
  services.scheduleMetrics.showIn(server.metrics.registry);
  createRunMetrics(store).showIn(server.metrics.registry);
  showCommitsIn(server.metrics.registry);
  services.channel.serve(server.fastify, server.metrics.registry);
  // Disposed first: the server waits for all connections to close.
  opened.use(services.channel);
  const url = await server.listen({ host: config.HOST, port: config.PANEL_PORT });
  if (demo !== null) await writePanelCredentials(dataFolder, url, demo);

  const notes: string[] = [];
  if (demo?.owner != null) {
    const program = config.PANEL_EMBEDDED_WORKER === "0" ? undefined : workerProgram;
    const demoContext = { owner: demo.owner, environment, dataFolder, logger };
    const context = { ...demoContext, isFirst: demo.areNew, url, hasWorker: program !== undefined, hasTerminal };
    notes.push(...(await firstSteps(panel, context)));
    if (program !== undefined)
      opened.use(embeddedWorker(panel, { ...demoContext, program, at: insideUrl(server, config.HOST) }));
  }
  return service.running({ url, tryFirst: dashboard === null ? `${url}/docs` : url, notes });
}

function appParts(
  config: PanelConfig,
  secret: InstallationSecrets,
): Omit<AppParts, "logger" | "bus" | "deliveryServices"> {
  const trustedProxies = config.TRUSTED_PROXIES?.split(",");
  return {
    publicUrl: config.PANEL_URL,
    // The oldest secret, so that open pages stay valid during a rotation.
    csrfKey: deriveKey(secret().at(-1) ?? "", "panel csrf"),
    rates: {
      all: config.PANEL_RATE_ALL,
      runs: config.PANEL_RATE_RUNS,
      license: config.PANEL_RATE_LICENSE,
      probe: config.PANEL_RATE_PROBE,
      prs: config.PANEL_RATE_PR,
    },
    connections: connectionLimits(config),
    loginFailures: config.PANEL_RATE_LOGIN,
    ...(trustedProxies !== undefined && { trustedProxies }),
  };
}

/** Not urgent, because runs expire after a day. */
const EXPIRY_INTERVAL_MS = 30_000;
const PURGE_INTERVAL_MS = 60_000;

function sweeps(store: PanelStore, logger: Logger) {
  const onError = (what: string) => (error: unknown) => logger.error({ err: error }, `${what} failed; retrying`);
  return [
    repeat(() => expireAgedRuns(store, Date.now()), {
      everyMs: EXPIRY_INTERVAL_MS,
      onError: onError("expiring queued runs"),
    }),
    repeat(() => purgeExpired(store, Date.now()), {
      everyMs: PURGE_INTERVAL_MS,
      onError: onError("purging expired data"),
    }),
  ];
}

interface DemoContext {
  readonly owner: AccountRecord;
  readonly environment: Environment;
  readonly dataFolder: string;
  readonly logger: Logger;
}

interface FirstStepsContext extends DemoContext {
  readonly isFirst: boolean;
  readonly hasWorker: boolean;
  readonly hasTerminal: boolean;
  readonly url: string;
}

async function firstSteps(panel: Omit<Panel, "url">, context: FirstStepsContext): Promise<readonly string[]> {
  const { owner, environment, dataFolder, logger, isFirst, hasWorker, hasTerminal, url } = context;
  const searchPath = searchPathOf(environment);
  const making = makeDemo(panel, { dataFolder, account: owner, hasWorker, searchPath });
  const runId = await making.catch((error: unknown) => {
    logger.warn({ err: error }, "creating the demo repository failed; is git installed?");
    return null;
  });
  const link = isFirst ? `${url}/login#${await makeSignInToken(panel, owner.id)}` : null;
  return [
    ...(link === null ? [] : [await signInNote(link, hasTerminal ? null : dataFolder)]),
    ...(runId === null ? [] : [`A demo run has started: ${url}/runs/${runId}`]),
  ];
}

async function signInNote(link: string, folder: string | null): Promise<string> {
  const text = "Sign in (once, within 15 minutes):";
  return folder === null ? `${text} ${link}` : `${text} the link is in ${await writeSignInLink(folder, link)}`;
}

interface EmbeddedWorkerContext extends DemoContext {
  readonly program: readonly string[];
  readonly at: string;
}

/** Opened last and stopped first, because the panel must receive the runs that it returns. */
function embeddedWorker(panel: Omit<Panel, "url">, context: EmbeddedWorkerContext) {
  const { program, owner, environment, dataFolder, logger, at } = context;
  return superviseWorker({
    program,
    args: [
      "--panel",
      at,
      "--name",
      "embedded",
      "--embedded",
      "--allow-root",
      "--work-dir",
      join(dataFolder, "worker", "embedded"),
    ],
    environment: { ...environment, PATH: searchPathOf(environment) },
    currentKey: () => presentKey(panel, owner.id),
    say: (line) => logger.info({ part: "worker" }, messageOf(line)),
    onError: (what, error) => logger.warn({ ...(error !== undefined && { err: error }) }, what),
  });
}

/** Our own Node first: the demo's commands call `node`, which may not be on the path. */
function searchPathOf({ PATH = "" }: Environment): string {
  return [dirname(process.execPath), PATH].join(delimiter);
}

function insideUrl({ fastify }: Pick<Server<Caller>, "fastify">, host: string): string {
  const address = fastify.server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const at = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${at.includes(":") ? `[${at}]` : at}:${port}`;
}

export function commands(): Command {
  const { env: environment, stdin, stdout, stderr } = process;
  return panelCommands({ environment, stdin, stdout, stderr });
}

export { copyPanel as copyStore } from "./store/copy-panel.ts";
export { rotateStore, sealedValues } from "./commands/rotate-secret.ts";
export { checkPanel as checkStore } from "./store/backup-panel.ts";
export { backupStore, storeRestoredBlobs } from "./commands/backup.ts";
export const { exists: hasStore, isUsed: isStoreUsed, migrate: migrateStore } = panelStore;

/** The committed OpenAPI document, with the default address. */
export function openApi(): string {
  return openApiText(panelContract, { url: "http://127.0.0.1:7001" });
}
