import { randomBytes } from "node:crypto";
import {
  createResponseEncryption,
  createBilling,
  systemTimers,
  confirmDelivery,
  type Billing,
} from "@triptych/billing-client";
import { keyIdOf } from "@triptych/encryption";
import { gatewayContract } from "@triptych/contracts";
import { keyText, liveAndTest, parseKey, SERVICE_FORM } from "@triptych/api-keys";
import { policyFields } from "@triptych/rate-limit";
import { readConfig } from "@triptych/config";
import {
  connectionLimits,
  installationSecrets,
  type InstallationSecrets,
  openApiText,
  openService,
  repeat,
  serviceTokenFile,
  storeReadiness,
} from "@triptych/server";
import type { Command } from "commander";
import type { Logger } from "pino";
import { createApp } from "./app.ts";
import { gatewayCommands } from "./commands/gateway-commands.ts";
import { GatewayConfig, settings } from "./config.ts";
import type { AnswerStore } from "./domain/idempotency-store.ts";
import type { RailFacts } from "./domain/billing.ts";
import type { Routers } from "./domain/routers.ts";
import { createTraffic, type MinuteWindow } from "./domain/concurrency-limiter.ts";
import { holdInstance, writeGatewayCredentials } from "./first-start.ts";
import { createGatewayMetrics } from "./metrics.ts";
import { createRailFacts } from "./rail/rail-facts.ts";
import { openRailTransport } from "./rail/rail-transport.ts";
import { openRouters } from "./routers/load-balancer.ts";
import { gatewayStore } from "./store/migrations.ts";
import { openStore } from "./store/open-store.ts";
import { createDecisionBilling } from "./create-billing.ts";

export interface RunningGateway {
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

/** Opens the store and the connections to routers and rail, then listens. If a step fails, closes everything again. */
export async function start(
  environment: Readonly<Record<string, string | undefined>>,
  { playgroundFolder = Promise.resolve(null), viewerFolder }: StartContext = {},
): Promise<RunningGateway> {
  const config = readConfig(GatewayConfig, environment);

  await using service = await openService({ name: "gateway", config });
  const { logger, dataFolder, isProduction, tracing, opened } = service;
  const { answers, minute } = opened.use(await openStore({ dataFolder, databaseUrl: config.DATABASE_URL }));
  const sharedToken = () => serviceTokenFile(dataFolder, keyText(SERVICE_FORM, randomBytes), TOKEN_VARIABLES);
  const railToken = config.RAIL_SERVICE_TOKEN ?? (await sharedToken());
  const railInside = (config.RAIL_INTERNAL_URL ?? config.RAIL_URL).replace(/\/+$/, "");
  const billing = createBilling({
    instance: config.GATEWAY_INSTANCE ?? opened.use(await holdInstance(dataFolder, randomBytes)).name,
    transport: opened.use(openRailTransport({ url: railInside, serviceToken: railToken, tracing })),
    timers: systemTimers,
    now: clock,
    random: randomBytes,
    origin: () => tracing?.current() ?? null,
    onError: ({ asking, error }) => logger.warn({ err: error, asking }, "rail unreachable; retrying"),
  });
  opened.adopt(billing, (client) => client.stop());
  const traffic = trafficOf(config, minute);
  const metrics = createGatewayMetrics({ inFlight: () => traffic.inFlight, session: () => billing.state() });
  const warn = warnWith(logger);
  const routers = opened.use(
    await openRouters({
      tracing,
      urls: (config.ROUTER_INTERNAL_URL ?? config.ROUTER_URL).split(","),
      serviceToken: config.ROUTER_SERVICE_TOKEN ?? (await sharedToken()),
      now: clock,
      onError: warn("router request failed"),
      onHealthChange: logHealth(logger, metrics.routerHealthChanged),
    }),
  );
  const rail = createRailFacts({
    url: railInside,
    serviceToken: railToken,
    tracing,
    now: clock,
    onError: warn("rail request failed"),
  });
  const secrets = await installationSecrets({ config, dataFolder, isProduction });
  const app = await createApp({
    logger,
    tracing,
    viewerFolder,
    publicUrl: config.GATEWAY_URL,
    railUrl: config.RAIL_URL.replace(/\/+$/, ""),
    routerUrl: config.ROUTER_URL.replace(/\/+$/, ""),
    decisionBilling: createDecisionBilling({
      billing,
      rail,
      seal: createResponseEncryption(responseKeys(secrets), randomBytes),
      answers,
      now: Date.now,
    }),
    traffic,
    routers,
    rail,
    walletHashOf: (token) => parseKey(token, WALLET_FORMS)?.hash ?? null,
    limitFields: ({ remaining, resetSeconds }) =>
      policyFields([{ name: "minute", quota: config.GATEWAY_RATE, windowSeconds: 60, remaining, resetSeconds }]),
    watchDelivery: confirmDelivery,
    onSale: metrics.sold,
    readiness: readinessOf({ billing, rail, routers, storeError: storeReadiness(answers.writeError, logger) }),
    connections: connectionLimits(config),
    playgroundFolder,
    clock,
    showMetrics: metrics.showIn,
  });
  opened.adopt(app, (server) => server.stop());
  opened.adopt(removalOf(answers, warn("removing expired responses failed; retrying")), (task) => task.stop());

  await untilRegistered(billing);
  const url = await app.listen({ host: config.HOST, port: config.GATEWAY_PORT });
  if (!isProduction) await writeGatewayCredentials(dataFolder, url);
  return service.running({ url, tryFirst: `${url}/playground` });
}

function trafficOf(config: GatewayConfig, window: MinuteWindow) {
  return createTraffic({
    window,
    perMinute: config.GATEWAY_RATE,
    perWallet: config.GATEWAY_CONCURRENCY,
    inAll: config.GATEWAY_MAX_IN_FLIGHT,
  });
}

function responseKeys(secrets: InstallationSecrets) {
  return (reload?: "reload") => secrets(reload).map((secret) => ({ id: keyIdOf(secret), secret }));
}

const TOKEN_VARIABLES = "RAIL_SERVICE_TOKEN and ROUTER_SERVICE_TOKEN";
const WALLET_FORMS = liveAndTest("rail");

function clock(): number {
  return performance.now();
}

function warnWith(logger: Logger) {
  return (what: string) => (error: unknown) => logger.warn({ err: error }, what);
}

function logHealth(logger: Logger, count: (isHealthy: boolean) => void) {
  return ({ url, isHealthy, why }: { readonly url: string; readonly isHealthy: boolean; readonly why: string }) => {
    count(isHealthy);
    if (isHealthy) logger.info({ router: url, why }, "router backend healthy");
    else logger.warn({ router: url, why }, "router backend removed");
  };
}

interface ReadinessSources {
  readonly billing: Billing;
  readonly rail: Pick<RailFacts, "isHealthy">;
  readonly routers: Pick<Routers, "status">;
  readonly storeError: () => Promise<string | null>;
}

function readinessOf({ billing, rail, routers, storeError }: ReadinessSources): () => Promise<string | null> {
  return async () => {
    if (billing.state().phase !== "live") return "The gateway has not yet registered with the rail.";
    if (!(await rail.isHealthy())) return "The rail is unreachable or read-only.";
    if (!routers.status().isHealthy) return "No router is healthy.";
    return await storeError();
  };
}

const REMOVE_EVERY_MS = 60_000;
const REMOVED_AT_ONCE = 500;

function removalOf(answers: Pick<AnswerStore, "removeEnded">, onError: (error: unknown) => void) {
  return repeat(() => answers.removeEnded(Date.now(), REMOVED_AT_ONCE), { everyMs: REMOVE_EVERY_MS, onError });
}

/**
 * Wait for the handshake, so that the first call succeeds if the rail is up. If it is down, every call and /readyz
 * report it.
 */
const HANDSHAKE_MS = 1000;
const HANDSHAKE_POLL_MS = 5;

async function untilRegistered(billing: Pick<Billing, "state">): Promise<void> {
  const end = clock() + HANDSHAKE_MS;
  while (billing.state().phase !== "live" && clock() < end)
    await new Promise<void>((resolve) => void systemTimers.after(HANDSHAKE_POLL_MS, resolve));
}

export function commands(): Command {
  return gatewayCommands({ environment: process.env, stdout: process.stdout, fetch });
}

export const copyStore = gatewayStore.copy;
export { rotateStore, sealedValues } from "./commands/rotate-secret.ts";
export { checkStore } from "./store/migrations.ts";
export const { backup: backupStore, exists: hasStore, isUsed: isStoreUsed, migrate: migrateStore } = gatewayStore;

/** The committed OpenAPI document, with the default address. */
export function openApi(): string {
  return openApiText(gatewayContract, { url: "http://127.0.0.1:7003" });
}
