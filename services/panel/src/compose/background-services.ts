/** Background work: bus, delivery and worker channel, woken by store hints. */
import { join, resolve } from "node:path";
import { createRedactor, formatSecretLocation, findSecrets } from "@triptych/redaction";
import { repeat } from "@triptych/server";
import type { Tracing } from "@triptych/tracing";
import type { Logger } from "pino";
import { createKeyring, type Secrets } from "@triptych/encryption";
import { openBus, type Bus } from "../bus/open-bus.ts";
import { openChannel, type Channel } from "../worker-connections/start-channel.ts";
import { readAuthor, type PanelConfig } from "../config.ts";
import { openContacts } from "../repo-reachability/reachability-checks.ts";
import type { Blobs } from "../domain/delivery-repositories.ts";
import { readPrices } from "../prices.ts";
import type { Panel } from "../domain/panel.ts";
import { anyAddress, publicAddresses } from "../git/addresses.ts";
import { traceRuns } from "./run-tracing.ts";
import { createDeliveryMetrics, type DeliveryMetrics } from "../delivery/metrics.ts";
import { openDeliveryServices, type RunningDeliveryServices } from "./delivery-services.ts";
import { createScheduleMetrics, type ScheduleMetrics, openScheduler } from "../schedule/open-scheduler.ts";
import { systemTimers } from "../timers.ts";

export interface BackgroundServicesOptions {
  readonly config: PanelConfig;
  readonly secret: string | Secrets;
  readonly panel: Omit<Panel, "url" | "workers">;
  readonly blobs: Blobs;
  readonly logger: Logger;
  readonly tracing: Tracing | null;
  /** URL for workers; read after listening. */
  readonly url: () => string;
}

export interface BackgroundServices extends AsyncDisposable {
  readonly bus: Bus;
  readonly deliveryServices: RunningDeliveryServices;
  readonly deliveryMetrics: Pick<DeliveryMetrics, "showIn">;
  readonly scheduleMetrics: Pick<ScheduleMetrics, "showIn">;
  readonly channel: Channel;
}

export async function openBackgroundServices({
  config,
  secret,
  panel,
  blobs,
  logger,
  tracing,
  url,
}: BackgroundServicesOptions): Promise<BackgroundServices> {
  const { store, seal, secrets, now, newId } = panel;
  const { isolationMin } = panel.allows;
  const node = newId("nod");
  await using opened = new AsyncDisposableStack();
  const onError = (error: unknown, what = "background task failed; retrying") => logger.error({ err: error }, what);
  const bus = opened.use(await openBus({ ...panel, runToken: () => null, onError: (error) => onError(error) }));
  const deliveryMetrics = createDeliveryMetrics(store.system);
  const deliveryServices = opened.use(
    await openDeliveryServices({
      ...panel,
      tokenKeys: tokenKeysOf(secret),
      folder: join(resolve(config.TRIPTYCH_DATA), "panel"),
      blobs,
      mirrorLimits: mirrorLimitsOf(config),
      resolve: panel.allows.privateHosts ? anyAddress : publicAddresses(),
      findSecrets: async (secretsByValue, added) =>
        (await findSecrets(createRedactor(secretsByValue), added)).map(formatSecretLocation),
      redact: bus.redact,
      publicUrl: config.PANEL_URL,
      panelUrl: () => (config.PANEL_URL ?? (url() || `http://127.0.0.1:${config.PANEL_PORT}`)).replace(/\/$/, ""),
      by: node,
      isolationMin,
      followUpPollS: config.PANEL_FOLLOW_UP_POLL_S,
      checksRepos: config.PANEL_CHECK_REPOS !== "0",
      meter: deliveryMetrics,
      onError: (error) => onError(error),
      onNotice: (fields, message) => logger.info(fields, message),
    }),
  );
  const timed = { store, now, timers: systemTimers, onError: (error: unknown) => onError(error) };
  opened.use(await openContacts({ ...timed, check: deliveryServices.checkRepo }));
  const scheduleMetrics = createScheduleMetrics();
  opened.use(openScheduler({ ...timed, newId, meter: scheduleMetrics, isolationMin }));
  const sweeping = repeat(() => deliveryServices.sweep(), { everyMs: SWEEP_MS, onError: (error) => onError(error) });
  opened.adopt(sweeping, (task) => task.stop());
  const leaseMs = config.PANEL_LEASE_S * 1000;
  const channel = opened.use(
    await openChannel({
      node,
      store,
      timers: systemTimers,
      ingest: bus.ingest,
      secrets: bus.secrets,
      delivery: deliveryServices.delivery,
      runTokens: deliveryServices.tokens,
      checkTokens: deliveryServices.checkTokens,
      isolationMin,
      newId,
      openKey: (sealed, owner) => seal.open(sealed, owner).toString(),
      openVariable: (sealed, about) => seal.open(sealed, about).toString(),
      hash: secrets.hash,
      url,
      leaseMs,
      author: readAuthor(config.PANEL_COMMIT_AUTHOR),
      money: { prices: readPrices(config.PANEL_PRICES), usdEur: config.PANEL_USD_EUR },
      heartbeatMs: Math.min(config.PANEL_HEARTBEAT_S * 1000, leaseMs / 4),
      broadcastWaitMs: config.PANEL_BROADCAST_WAIT_MS,
      traceOf: traceRuns(store, tracing),
      onError,
    }),
  );
  const parts = opened.move();
  return {
    bus,
    deliveryServices,
    deliveryMetrics,
    scheduleMetrics,
    channel,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

function tokenKeysOf(secret: string | Secrets) {
  const keyring = createKeyring(secret);
  const keysFor = (purpose: string) => () => keyring.keys(purpose).map(({ bytes }) => bytes);
  return { run: keysFor("panel run tokens"), check: keysFor("panel check tokens") };
}

/** Sweeping unused blobs and mirrors is not urgent. */
const SWEEP_MS = 600_000;

function mirrorLimitsOf({ PANEL_MIRROR_MAX_MB: mostMb, PANEL_DISK_RESERVE_MB: reserveMb }: PanelConfig) {
  return { bytesMax: mostMb * 1024 ** 2, reserveBytes: reserveMb * 1024 ** 2 };
}
