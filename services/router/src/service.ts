import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import {
  answersProbe,
  ARTIFACTS,
  loadBundledModels,
  type SentenceEncoder,
  type ShippedArtifacts,
} from "@triptych/decisions";
import { keyText, SERVICE_FORM } from "@triptych/api-keys";
import { ulid } from "@triptych/ids";
import { readConfig } from "@triptych/config";
import { connectionLimits, openApiText, openService, serviceTokenFile, writeCredentials } from "@triptych/server";
import { lockCredentials } from "@triptych/storage";
import type { Command } from "commander";
import { createAccess } from "./access.ts";
import { createApp } from "./app.ts";
import { routerCommands } from "./commands/router-commands.ts";
import type { ToolContext } from "./commands/decision-options.ts";
import { RouterConfig, settings } from "./config.ts";
import { routerContract } from "./contract.ts";
import { shippedExperts } from "./domain/experts.ts";
import type { Router } from "./domain/router.ts";
import { createThresholds } from "./domain/thresholds.ts";
import { engineOf } from "./engine/create-engine.ts";
import { encoderFolder, baseModelFromEncoder, baseModelFromTrunk, openEncoder } from "./engine/base-models.ts";
import { expertsOfRelease } from "./engine/shipped-experts.ts";
import { createRouterMetrics } from "./metrics.ts";
import { openHeads, type OpenHeads } from "./open-heads.ts";
import { routerStore } from "./store/migrations.ts";
import { openStore } from "./store/open-store.ts";

export interface RunningRouter {
  readonly url: string;
  readonly tryFirst: string;
  stop(): Promise<void>;
}

export function issuesOf(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  return settings.issuesOf(environment);
}

export interface StartContext {
  /** Folder of the built playground; null or absent if there is none. The service starts before it is built. */
  readonly playgroundFolder?: Promise<string | null>;
  /** Folder of the built request viewer; null or absent if there is none. */
  readonly viewerFolder?: Promise<string | null> | undefined;
}

/** Loads the models, then listens. Opens no network connection other than the listening socket. */
export async function start(
  environment: Readonly<Record<string, string | undefined>>,
  { playgroundFolder = Promise.resolve(null), viewerFolder }: StartContext = {},
): Promise<RunningRouter> {
  const config = readConfig(RouterConfig, environment);

  await using service = await openService({ name: "router", config });
  const { logger, dataFolder, isProduction, opened } = service;
  const metrics = createRouterMetrics();
  const artifacts = loadBundledModels();
  const folder = encoderFolder(config.ROUTER_TRUNK);
  const encoder = folder === null ? null : opened.use(await openEncoder(folder));
  const baseModel =
    folder === null || encoder === null
      ? baseModelFromTrunk(artifacts.trunk, () => readFile(new URL("trunk.tptk", ARTIFACTS)))
      : baseModelFromEncoder(encoder, { folder });
  const shipped = routerOn(artifacts, { ...metrics, encoder });
  // Also a warm-up: the first decisions of a process are the slowest.
  if (!shipped.probe()) logger.error(WRONG_NUMBERS);
  const store = opened.use(await openStore({ dataFolder, databaseUrl: config.DATABASE_URL }));
  const owned = opened.use(
    await openHeads({
      baseModel,
      engine: shipped.assessor.engine,
      shipped: shipped.experts,
      store,
      process: `${hostname()}:${process.pid}:${randomBytes(6).toString("hex")}`,
      now: Date.now,
      newId: (prefix) => ulid(prefix, Date.now(), randomBytes),
      onError: (what, error) => logger.error({ err: error }, what),
    }),
  );
  const router = withHeads(shipped, owned);
  const rate = config.ROUTER_RATE ?? null;
  const access = createAccess({
    routerToken: config.ROUTER_TOKEN ?? null,
    isReachable: !isLoopback(config.HOST),
    serviceToken:
      config.ROUTER_SERVICE_TOKEN ??
      (await serviceTokenFile(dataFolder, keyText(SERVICE_FORM, randomBytes), "ROUTER_SERVICE_TOKEN")),
    rate,
    now: Date.now,
  });
  const allowedHosts = [...listOf(config.ROUTER_ALLOWED_HOSTS), ...(isWildcard(config.HOST) ? [] : [config.HOST])];
  const parts = { logger, publicUrl: config.ROUTER_URL, access, allowedHosts, rate, showMetrics: metrics.showIn };
  const app = await createApp(
    {
      ...parts,
      tracing: service.tracing,
      playgroundFolder,
      viewerFolder,
      connections: connectionLimits(config),
      writeError: store.writeError,
      now: Date.now,
    },
    router,
    owned,
  );
  const server = opened.adopt(app, (server) => server.stop());
  const url = await server.listen({ host: config.HOST, port: config.ROUTER_PORT });
  if (!isProduction) await writeAddress(dataFolder, url);
  return service.running({ url, tryFirst: `${url}/playground` });
}

async function writeAddress(dataFolder: string, url: string): Promise<void> {
  await using _lock = await lockCredentials(dataFolder);
  await writeCredentials(dataFolder, "router", { url });
}

const WRONG_NUMBERS =
  "Engine self-test failed: its results differ from the release, and /health returns 503. Run `triptych router verify` for details.";

export interface RouterParts extends Pick<Router, "observe"> {
  readonly encoder: Pick<SentenceEncoder, "encode"> | null;
}

export function routerOn(artifacts: ShippedArtifacts, { observe, encoder }: RouterParts): Router {
  const engine = engineOf(artifacts, encoder);
  const experts = shippedExperts(expertsOfRelease(artifacts.experts));
  return {
    assessor: { engine, thresholds: createThresholds(engine.thresholdFor) },
    experts,
    clock: () => performance.now(),
    probe: () => answersProbe(artifacts, artifacts.probe),
    observe,
    beside: () => undefined,
  };
}

export function withHeads(router: Router, { experts, shadowing }: Pick<OpenHeads, "experts" | "shadowing">): Router {
  return { ...router, experts, beside: shadowing.follow };
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

function isWildcard(host: string): boolean {
  return host === "0.0.0.0" || host === "::" || host === "[::]";
}

function listOf(hosts = ""): readonly string[] {
  return hosts
    .split(",")
    .map((host) => host.trim())
    .filter((host) => host !== "");
}

/** `connect` returns addresses and credentials of the caller's services by profile name. */
export function commands(connect: ToolContext["connect"]): Command {
  const { env: environment, stdout, stderr } = process;
  return routerCommands({ environment, stdout, stderr, connect });
}

export { copyRouter as copyStore } from "./store/copy-router.ts";
export { backupRouter as backupStore, checkRouter as checkStore } from "./store/backup-router.ts";
export const { exists: hasStore, isUsed: isStoreUsed, migrate: migrateStore } = routerStore;

/** The committed OpenAPI document, with the default address. */
export function openApi(): string {
  return openApiText(routerContract, { url: "http://127.0.0.1:7004" });
}
