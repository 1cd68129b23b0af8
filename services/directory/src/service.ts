/** The directory as a service: what it is made of, in the order in which it is put together and taken apart. */
import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { directoryContract } from "@triptych/contracts";
import { createKeys, openEmbeddedMeter, openKeyRing, openKeyStore, openPostgresMeter } from "@triptych/metering";
import { createLogger, openApiText, readConfig } from "@triptych/server";
import { holdExclusive } from "@triptych/storage";
import type { Command } from "commander";
import { createApp } from "./app.ts";
import { directoryCommands } from "./commands/index.ts";
import { DirectoryConfig } from "./config.ts";
import { publishSample, writeDemoKeys } from "./first-start.ts";
import { createAccess } from "./store/access.ts";
import { lockIn } from "./store/copy-directory.ts";
import { KEY_FORMS, meteredPlans } from "./store/metered-plans.ts";
import { loadPageAssets } from "./pages/load-page-assets.ts";
import { openStore } from "./store/open-store.ts";
import { readOutlines } from "./store/outlines.ts";

/** Its words on the command line, for the process that runs them. */
export function commands(): Command {
  const { env: environment, stdout, stderr } = process;
  return directoryCommands({ environment, stdout, stderr, now: () => Date.now(), random: randomBytes });
}

export interface RunningDirectory {
  readonly url: string;
  readonly tryFirst: string;
  stop(): Promise<void>;
}

/** Opens the store, the catalogue and the metering, then listens. Whatever was opened is closed again when a step fails. */
export async function start(environment: Readonly<Record<string, string | undefined>>): Promise<RunningDirectory> {
  const config = readConfig(DirectoryConfig, environment);
  const isProduction = config.NODE_ENV === "production";
  const logger = createLogger({ service: "directory", level: config.LOG_LEVEL });
  const onFault = (error: unknown) =>
    logger.error({ err: error }, "metering could not reach its store; it tries again");
  const clock = () => Date.now();
  const plans = meteredPlans(config.DIRECTORY_PRICE_TIERS);
  const dataFolder = resolve(config.TRIPTYCH_DATA);
  await mkdir(dataFolder, { recursive: true, mode: 0o700 });

  await using opened = new AsyncDisposableStack();
  // The embedded meter and index know nothing of another process: a second one on the same files is refused.
  if (config.DATABASE_URL === undefined) opened.use(await holdExclusive(lockIn(dataFolder)));
  const report = (event: object) => logger.info(event, "catalogue");
  const { database, directory } = opened.use(await openStore(config, { report, now: clock }));
  if (!isProduction) await publishSample(directory, clock());
  const source = opened.adopt(await directory.openSource(), (one) => one.close());

  const store = openKeyStore(database);
  const keys = createKeys({ store, plans, forms: KEY_FORMS, clock, random: randomBytes });
  const ring = await openKeyRing({ store, forms: KEY_FORMS, clock, onFault });
  const openMeter = database.engine === "sqlite" ? openEmbeddedMeter : openPostgresMeter;
  const meter = await openMeter({ database, plans, clock, random: randomBytes, onFault });
  const access = opened.adopt(createAccess({ ring, meter }), (one) => one.close());

  const catalogue = () => source.current();
  const contact = config.DIRECTORY_CONTACT ?? null;
  const outlines = () => readOutlines(database.db);
  const assets = await loadPageAssets();
  const app = await createApp({
    access,
    assets,
    catalogue,
    clock,
    contact,
    logger,
    outlines,
    publicUrl: config.DIRECTORY_URL,
  });
  opened.defer(() => app.stop());
  const url = await app.listen({ host: config.HOST, port: config.DIRECTORY_PORT });
  if (!isProduction) await writeDemoKeys({ dataFolder, url, keys, ring });

  const parts = opened.move();
  let stopping: Promise<void> | null = null;
  return { url, tryFirst: `${url}/docs`, stop: () => (stopping ??= parts.disposeAsync()) };
}

export { copyDirectory as copyStore } from "./store/copy-directory.ts";

/** The OpenAPI document as it is committed, with the default address. */
export function openApi(): string {
  return openApiText(directoryContract, { url: "http://127.0.0.1:7002" });
}
