import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { railContract } from "@triptych/contracts";
import { keyText, SERVICE_FORM } from "@triptych/api-keys";
import { openRateWindows } from "@triptych/rate-limit";
import { readConfig } from "@triptych/config";
import {
  connectionLimits,
  installationSecrets,
  openApiText,
  openService,
  repeat,
  serviceTokenFile,
  type Server,
} from "@triptych/server";
import type { Logger } from "pino";
import type { Command } from "commander";
import { createApp } from "./app.ts";
import { checkLedger } from "./check-ledger.ts";
import { railCommands } from "./commands/index.ts";
import { RailConfig, settings, testPaymentsRefusal } from "./config.ts";
import { createIntegrity } from "./domain/integrity.ts";
import type { Mailer } from "./domain/email.ts";
import { jumpText, type ClockJump } from "./domain/ledger-clock.ts";
import type { Rail } from "./domain/rail.ts";
import { loadAdminToken, writeRailCredentials } from "./first-start.ts";
import type { Caller } from "./http/identify.ts";
import { createRailMetrics, type RailMetrics } from "./metrics.ts";
import { openRail } from "./open-rail.ts";
import { paymentProvider } from "./payment-provider.ts";
import { createSmtpMailer } from "./smtp-mailer.ts";
import { railStore } from "./store/migrations.ts";
import { openStore } from "./store/open-store.ts";

export interface StartContext {
  /** Folder of the built wallet pages; null or absent if there is none. The service starts before they are built. */
  readonly walletFolder?: Promise<string | null>;
  /** Folder of the built request viewer; null or absent if there is none. */
  readonly viewerFolder?: Promise<string | null> | undefined;
}

export interface RunningRail {
  readonly url: string;
  readonly tryFirst: string;
  stop(): Promise<void>;
}

/** Configuration errors of the environment, by variable. */
export function issuesOf(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  return settings.issuesOf(environment);
}

/** Why the service cannot start although the environment is valid; null if it can. */
export function refusalOf(environment: Readonly<Record<string, string | undefined>>): string | null {
  return testPaymentsRefusal(readConfig(RailConfig, environment));
}

/** Opens the store, the signing keys and the payments, then listens. If a step fails, closes everything again. */
export async function start(
  environment: Readonly<Record<string, string | undefined>>,
  { walletFolder = Promise.resolve(null), viewerFolder }: StartContext = {},
): Promise<RunningRail> {
  const config = readConfig(RailConfig, environment);
  const refusal = testPaymentsRefusal(config);
  if (refusal !== null) throw new Error(refusal);
  const now = () => Date.now();
  const random = (count: number) => randomBytes(count);

  await using service = await openService({ name: "rail", config });
  const { logger, dataFolder, isProduction, opened } = service;
  const location = { dataFolder, databaseUrl: config.DATABASE_URL, sync: config.RAIL_SYNC };
  if (location.sync === "normal" && location.databaseUrl === undefined) logger.warn(NORMAL_SYNC);
  const store = opened.use(await openStore(location));
  const { ledger } = store;
  const tokens = {
    serviceToken:
      config.RAIL_SERVICE_TOKEN ??
      (await serviceTokenFile(dataFolder, keyText(SERVICE_FORM, random), "RAIL_SERVICE_TOKEN")),
    adminToken: config.RAIL_ADMIN_TOKEN ?? (isProduction ? null : await loadAdminToken(dataFolder, random)),
  };
  const metrics = createRailMetrics();
  const mailer = await openMailer(config, logger);
  if (mailer !== null) opened.adopt(mailer, (resource) => resource.close());
  const integrity = createIntegrity();
  const check = opened.adopt(await checkLedger({ place: location, ledger, integrity, logger }), (one) => one.stop());
  metrics.showIntegrity(integrity);
  let server: Server<Caller> | null = null;
  const rail = await openRail({
    ...tokens,
    more: {
      previousService: config.RAIL_SERVICE_TOKEN_PREVIOUS,
      previousAdmin: config.RAIL_ADMIN_TOKEN_PREVIOUS,
      read: config.RAIL_ADMIN_READ_TOKEN,
    },
    ledger,
    integrity,
    windows: openRateWindows(store),
    provider: await paymentProvider(config, now),
    mailer,
    secret: await installationSecrets({ config, dataFolder, isProduction }),
    process: config.DATABASE_URL === undefined ? "rail" : `${hostname()}:${config.RAIL_PORT}`,
    customHeadMicro: config.RAIL_PRICE_CUSTOM_HEAD_MICRO,
    algorithm: config.RAIL_RECEIPT_ALGORITHM,
    now,
    monotonic: () => performance.now(),
    random,
    url: () => server?.url() ?? "",
    onCommit: metrics.committed,
    onClockChange: clockWatch(logger, metrics),
  });
  await rail.keys.check();
  server = opened.adopt(
    await createApp(
      { ...appParts(config, logger), tracing: service.tracing, metrics, viewerFolder, walletFolder },
      rail,
    ),
    (resource) => resource.stop(),
  );
  for (const work of backgroundWork(rail, { logger, metrics })) opened.adopt(work, (resource) => resource.stop());

  const url = await server.listen({ host: config.HOST, port: config.RAIL_PORT });
  void check.continue();
  const { adminToken } = tokens;
  if (!isProduction && adminToken !== null) await writeRailCredentials(dataFolder, rail, { ...tokens, adminToken });
  return service.running({ url, tryFirst: `${url}/wallet` });
}

const NORMAL_SYNC =
  "RAIL_SYNC=normal: commits do not wait for the disk. A power failure may lose the last seconds of charges and top-ups; a process crash loses nothing.";

async function openMailer(config: RailConfig, logger: Logger): Promise<Mailer | null> {
  const { RAIL_SMTP_URL: url, RAIL_MAIL_FROM: from } = config;
  return url === undefined ? null : createSmtpMailer({ url, from, logger });
}

function clockWatch(logger: Logger, metrics: RailMetrics) {
  return (jump: ClockJump | null): void => {
    metrics.expirySuspended(jump !== null);
    if (jump === null) return logger.info("clock trusted; expiry resumed");
    logger.error({ jump }, `${jumpText(jump)}: triptych rail clock confirm`);
  };
}

function appParts(config: RailConfig, logger: Logger) {
  const trustedProxies = config.TRUSTED_PROXIES?.split(",");
  const connections = connectionLimits(config);
  return {
    logger,
    publicUrl: config.RAIL_URL,
    ofProcess: true,
    connections,
    ...(trustedProxies && { trustedProxies }),
  };
}

/**
 * Leases and charges expire within seconds, payments are checked every minute, and keys of other processes change
 * within hours.
 */
const SWEEP_MS = 1000;
const RECONCILE_MS = 30_000;
const KEYS_MS = 5000;
const FIGURES_MS = 15_000;
const SWEEP_LIMIT = 500;
const RECONCILE_LIMIT = 50;

function backgroundWork(rail: Rail, { logger, metrics }: { readonly logger: Logger; readonly metrics: RailMetrics }) {
  const { clock, integrity, ledger, context, topUps, keys } = rail;
  const onError = (what: string) => (error: unknown) => logger.error({ err: error }, `${what} failed; retrying`);
  const whileSound = (work: () => Promise<unknown>) => async () => {
    if (integrity.issue() === null) await work();
  };
  return [
    repeat(
      whileSound(async () => metrics.swept(await ledger.sweep(context(), SWEEP_LIMIT))),
      {
        everyMs: SWEEP_MS,
        onError: onError("sweeping charges"),
      },
    ),
    repeat(
      whileSound(async () => {
        metrics.reconciled(await topUps.reconcile(RECONCILE_LIMIT));
        await topUps.topUpDue(RECONCILE_LIMIT);
      }),
      {
        everyMs: RECONCILE_MS,
        onError: onError("reconciling payments"),
      },
    ),
    repeat(async () => metrics.watched(await ledger.figures(rail.now())), {
      everyMs: FIGURES_MS,
      onError: onError("collecting ledger metrics"),
    }),
    repeat(() => clock.tick(), { everyMs: SWEEP_MS, onError: onError("clock check") }),
    repeat(() => keys.refresh(), { everyMs: KEYS_MS, onError: onError("loading signing keys") }),
  ];
}

export function commands(): Command {
  const { env: environment, stdin, stdout, stderr } = process;
  const user = environment["SUDO_USER"] ?? environment["USER"] ?? environment["LOGNAME"] ?? "operator";
  return railCommands({ environment, stdin, stdout, stderr, now: () => Date.now(), random: randomBytes, fetch, user });
}

export const copyStore = railStore.copy;
export { rotateStore, sealedValues } from "./commands/rotate-secret.ts";
export { checkStore } from "./store/backup.ts";
export const { backup: backupStore, exists: hasStore, isUsed: isStoreUsed, migrate: migrateStore } = railStore;

/** The committed OpenAPI document, with the default address. */
export function openApi(): string {
  return openApiText(railContract, { url: "http://127.0.0.1:7005" });
}
