import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { directoryContract } from "@triptych/contracts";
import { createKeys, openKeyCache, openKeyStore, type KeyCache } from "@triptych/api-keys";
import { createSlidingWindow } from "@triptych/rate-limit";
import { openEmbeddedMeter, openPostgresMeter, type Meter } from "@triptych/usage-metering";
import { readConfig } from "@triptych/config";
import { openApiText, openService } from "@triptych/server";
import { createWriteProbe } from "@triptych/storage";
import type { Command } from "commander";
import { directoryCommands } from "./commands/directory-commands.ts";
import { lowerPriority } from "./commands/lower-priority.ts";
import { DirectoryConfig, settings } from "./config.ts";
import { logCatalogue } from "./log-catalogue.ts";
import { openApp, type OpenedParts } from "./app.ts";
import { makeDemoKeys, publishSample, writeDemoKeys } from "./first-start.ts";
import { createAccess, KEY_FORMS, meteredPlans } from "./store/access.ts";
import type { WatchedSource } from "./store/catalogue-source.ts";
import { locationOf, openStore } from "./store/open-store.ts";
import { directoryStore } from "./store/tables.ts";
import { startHttpThreads } from "./workers/http-threads.ts";

export function commands(): Command {
  const { env: environment, stdout, stderr } = process;
  const now = () => Date.now();
  return directoryCommands({ environment, stdout, stderr, lowerPriority, pause, now, random: randomBytes });
}

export interface StartContext {
  /** Folder of the built map; null or absent if there is none. The service starts before it is built. */
  readonly mapFolder?: Promise<string | null>;
  /** Folder of the built viewer of requests; null or absent if there is none. */
  readonly viewerFolder?: Promise<string | null> | undefined;
}

export interface RunningDirectory {
  readonly url: string;
  readonly tryFirst: string;
  stop(): Promise<void>;
}

export function issuesOf(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  return settings.issuesOf(environment);
}

/** Opens the store, the catalogue and metering, then listens. Closes everything again if a step fails. */
export async function start(
  environment: Readonly<Record<string, string | undefined>>,
  { mapFolder = Promise.resolve(null), viewerFolder }: StartContext = {},
): Promise<RunningDirectory> {
  const config = readConfig(DirectoryConfig, environment);
  tuneGarbageCollection();
  const onError = (error: unknown) => logger.error({ err: error }, "metering: store unavailable; retrying");
  const clock = () => Date.now();
  const plans = meteredPlans(config.DIRECTORY_PRICE_TIERS);

  await using service = await openService({ name: "directory", config });
  const { logger, dataFolder, isProduction, tracing, opened } = service;
  // The embedded meter and index assume a single process, so a lock excludes a second one on the same files.
  opened.use(await directoryStore.lock(locationOf(config)));
  const report = logCatalogue(logger);
  const { database, directory } = opened.use(await openStore(config, { report, now: clock }));
  if (!isProduction) await publishSample(directory, clock());
  const source = opened.adopt(await directory.openSource(), (resource) => resource.close());

  const store = openKeyStore(database);
  const keys = createKeys({ store, plans, forms: KEY_FORMS, clock, random: randomBytes });
  const ring = await openKeyCache({ store, forms: KEY_FORMS, clock, onError });
  const openMeter = database.engine === "sqlite" ? openEmbeddedMeter : openPostgresMeter;
  const meter = await openMeter({
    database,
    plans,
    window: createSlidingWindow(),
    clock,
    random: randomBytes,
    onError,
  });
  opened.adopt(meter, (resource) => resource.close());
  opened.adopt(ring, (resource) => resource.close());

  const demo = isProduction ? null : await makeDemoKeys(dataFolder, keys, ring);
  const listen = config.DIRECTORY_HTTP_THREADS > 1 ? listenInThreads : listenInThisThread;
  const writeError = createWriteProbe(database);
  const { url, stop } = await listen({
    config,
    environment,
    logger,
    tracing,
    clock,
    database,
    source,
    ring,
    meter,
    mapFolder,
    viewerFolder,
    writeError,
  });
  opened.defer(stop);
  if (demo !== null) await writeDemoKeys(dataFolder, url, demo);
  return service.running({ url, tryFirst: `${url}/docs` });
}

interface ListenParts extends Omit<OpenedParts, "access"> {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly source: WatchedSource;
  readonly ring: KeyCache;
  readonly meter: Meter;
  readonly mapFolder: Promise<string | null>;
}

interface Listener {
  readonly url: string;
  stop(): Promise<void>;
}

async function listenInThisThread({ ring, meter, ...parts }: ListenParts): Promise<Listener> {
  const app = await openApp({
    ...parts,
    access: createAccess({ ring, meter }),
    meterLag: () => meter.lag(),
  });
  const { HOST: host, DIRECTORY_PORT: port } = parts.config;
  return { url: await app.listen({ host, port }), stop: () => app.stop() };
}

async function listenInThreads(parts: ListenParts): Promise<Listener> {
  const { config, environment, meter, source, writeError } = parts;
  return startHttpThreads({
    mapFolder: await parts.mapFolder,
    viewerFolder: (await parts.viewerFolder) ?? null,
    count: config.DIRECTORY_HTTP_THREADS,
    port: config.DIRECTORY_PORT,
    environment,
    meter,
    source,
    writeError,
  });
}

export { copyDirectory as copyStore } from "./store/open-store.ts";
export { checkStore } from "./store/check-store.ts";
export const { backup: backupStore, exists: hasStore, isUsed: isStoreUsed, migrate: migrateStore } = directoryStore;

export function openApi(): string {
  return openApiText(directoryContract, { url: "http://127.0.0.1:7002" });
}

/** V8 versions that read the flag after each collection, not only at startup. */
const V8 = /^13\./;
const GROWTH_PERCENT = 200;

/**
 * Makes full garbage collections rarer, for a process whose data lives outside the heap: gigabytes of index, a heap of
 * about 35 MB.
 *
 * V8 lets such a heap grow by a third before marking. While a new version's pages are rendered that is every second,
 * and requests wait 3 to 10 ms behind four marking helpers. With three times the heap as the limit it is every ten
 * seconds, for about 20 MB more. The flags apply to the whole process.
 */
function tuneGarbageCollection(): void {
  if (V8.test(process.versions.v8)) setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}
