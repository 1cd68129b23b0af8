/** One HTTP thread: it reads keys itself and calls the main thread for everything else. */
import { parentPort, workerData } from "node:worker_threads";
import { openKeyCache, openKeyStore } from "@triptych/api-keys";
import { readConfig } from "@triptych/config";
import { openTracing } from "@triptych/tracing";
import { createLogger } from "@triptych/server";
import type { Database } from "@triptych/storage";
import { openApp } from "../app.ts";
import { DirectoryConfig } from "../config.ts";
import { logCatalogue } from "../log-catalogue.ts";
import { createAccess, KEY_FORMS } from "../store/access.ts";
import { watchVersions, type WatchedSource } from "../store/catalogue-source.ts";
import { createPublishedVersions } from "../store/published-versions.ts";
import type { StoreTables } from "../store/tables.ts";
import { openStore, openStoreForReading } from "../store/open-store.ts";
import { PUBLISHED_CHANNEL } from "../store/staging.ts";
import { remoteMeter } from "./remote-meter.ts";
import { connectThread, type ThreadCalls } from "./thread-calls.ts";
import type { PublishedVersion } from "../domain/published-versions.ts";
import { openMemoryCatalogue } from "../domain/index/memory-catalogue.ts";
import type { ServingEngine, SharedIndex } from "../store/catalogue-engine.ts";
import { openSnapshotReader } from "../store/snapshot-files.ts";

if (parentPort === null) throw new Error("this file must run as a worker thread of the directory");

const clock = () => Date.now();
const { environment, mapFolder, viewerFolder } = workerData as {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly mapFolder: string | null;
  readonly viewerFolder: string | null;
};
const config = readConfig(DirectoryConfig, environment);
const logger = createLogger({ service: "directory", level: config.LOG_LEVEL });
const report = logCatalogue(logger);
const opened = new AsyncDisposableStack();

const calls = connectThread(parentPort, {
  async listen(port: number) {
    const app = await ready;
    const url = await app.listen({ host: config.HOST, port, reusePort: true });
    const address = app.fastify.server.address();
    return { url, port: typeof address === "object" && address !== null ? address.port : port };
  },
  metrics: async () => (await ready).metrics.registry.getMetricsAsJSON(),
  async stop() {
    await opened.disposeAsync();
    await new Promise<void>((resolve) => {
      logger.flush(() => resolve());
    });
    // After the reply is sent, which tells the main thread that everything is settled.
    setImmediate(() => process.exit(0));
  },
});
const ready = open(calls);

async function open(main: ThreadCalls) {
  const tracing = opened.use(await openTracing("directory", config));
  const database = opened.use(await openStoreForReading(config));
  const source = opened.adopt(await openSource(main, database), (resource) => resource.close());
  const ring = await openKeyCache({
    store: openKeyStore(database),
    forms: KEY_FORMS,
    clock,
    onError: (error) => logger.error({ err: error }, "loading API keys failed; retrying"),
  });
  const access = opened.adopt(createAccess({ ring, meter: remoteMeter(main) }), (resource) => resource.close());
  const metricsText = async () => String(await main.call("metrics"));
  const writeError = async () => (await main.call("writeError")) as string | null;
  const app = await openApp({
    config,
    logger,
    tracing,
    clock,
    access,
    database,
    source,
    mapFolder: Promise.resolve(mapFolder),
    viewerFolder: Promise.resolve(viewerFolder),
    metricsText,
    writeError,
  });
  opened.defer(() => app.stop());
  return app;
}

/** The PostgreSQL engine has nothing to share: each thread queries the server itself. */
async function openSource(main: ThreadCalls, database: Database<StoreTables>): Promise<WatchedSource> {
  if (config.DIRECTORY_ENGINE === "postgres") {
    const { directory } = opened.use(await openStore(config, { report, now: clock }));
    return directory.openSource();
  }
  return watchVersions({
    versions: createPublishedVersions(database, () => Promise.resolve(null)),
    engine: sharedEngine(main),
    report,
    now: clock,
    listen: (wake) => database.listen(PUBLISHED_CHANNEL, wake),
  });
}

export function sharedEngine(calls: ThreadCalls): ServingEngine {
  return {
    name: "memory",
    prepare: () => Promise.reject(new Error("HTTP threads cannot publish")),
    async open(version: PublishedVersion) {
      // The main thread opens the version first if it does not serve it yet.
      const shared = (await calls.call("snapshot", version.id)) as SharedIndex;
      const reader = openSnapshotReader(shared.path);
      const { index, cachedItems } = shared;
      return {
        catalogue: openMemoryCatalogue({ index, cachedItems, source: reader.source, version }),
        about: `${index.header.itemCount} items, index shared`,
        shared: null,
        close: reader.close,
      };
    },
    cleanUp: () => Promise.resolve(),
    distrust: async (version) => {
      await calls.call("distrust", version.id);
    },
  };
}
