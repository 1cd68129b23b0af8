import { directoryContract, getDiscovery, getItem, getItems, getMeta, getUsage, suggest } from "@triptych/contracts";
import {
  createServer,
  mapStorageError,
  type ConnectionLimits,
  type Server,
  connectionLimits,
  loadPageAssets,
} from "@triptych/server";
import { classifyStorageError, type WriteProbe, type Database } from "@triptych/storage";
import type { Tracing } from "@triptych/tracing";
import type { Logger } from "pino";
import type { Access } from "./domain/access.ts";
import type { Catalogue } from "./domain/catalogue.ts";
import type { ChangeLog, FindFormerAddress } from "./domain/changes.ts";
import { starterSynonyms } from "./store/starter-synonyms.ts";
import type { Synonyms } from "./domain/search/synonyms.ts";
import { watchSynonyms } from "./store/synonyms.ts";
import type { Caller } from "./http/caller.ts";
import { guardKeysInUrls } from "./http/etag.ts";
import { discoveryHandler } from "./http/discovery.ts";
import { createAuthenticate } from "./http/identify.ts";
import { itemHandler } from "./http/item.ts";
import { itemsHandler } from "./http/items.ts";
import { createPageCache } from "./http/page-cache.ts";
import { metaHandler } from "./http/meta.ts";
import { directoryDocs, mountPages, sendDocs, type PageParts } from "./http/pages.ts";
import { frenchSentence, localizeProblem } from "./http/french-problems.ts";
import { frenchContract } from "./french/french-contract.ts";
import { frenchProblemOnPage } from "./french/problem-texts.ts";
import { mountItemPages } from "./http/item-pages.ts";
import { directoryHome, frenchHome } from "./pages/home.ts";
import { suggestHandler } from "./http/suggest.ts";
import { usageHandler } from "./http/usage.ts";
import type { DirectoryConfig } from "./config.ts";
import { pageAssets } from "./pages/page-assets.ts";
import { createDirectoryMetrics, showMeter, type Engine } from "./metrics.ts";
import type { MeterLag } from "@triptych/usage-metering";
import type { WatchedSource } from "./store/catalogue-source.ts";
import type { StoreTables } from "./store/tables.ts";
import { createFormerAddresses } from "./store/former-addresses.ts";
import { createChangeLog } from "./store/change-log.ts";
import { readOutlines } from "./store/open-store.ts";

export interface AppParts extends Pick<PageParts, "assets" | "mapFolder" | "outlines" | "tiles"> {
  readonly access: Access;
  readonly catalogue: () => Catalogue | null;
  /** Default: the built-in list. */
  readonly synonyms?: () => Synonyms;
  readonly changes: ChangeLog;
  readonly clock: () => number;
  readonly formerAddress: FindFormerAddress;
  readonly engine: Engine;
  /** Whether a newer published version could not be opened. */
  readonly isStale?: () => boolean;
  /** Absent if the meter runs in another thread. */
  readonly meterLag?: () => MeterLag;
  readonly contact: string | null;
  readonly writeError: WriteProbe;
  readonly logger: Logger;
  readonly tracing?: Tracing | null;
  readonly connections?: ConnectionLimits;
  readonly viewerFolder?: Promise<string | null> | undefined;
  /** Maximum size of the page cache, in bytes. */
  readonly pageBytes: number;
  readonly publicUrl: string | undefined;
  readonly metricsText?: () => Promise<string>;
}

const EXPOSED = (
  "RateLimit-Policy RateLimit Retry-After X-Quota-Limit X-Quota-Remaining X-Quota-Reset X-Quota-Unit " +
  "API-Version ETag Link X-Request-Id X-Data-Version X-Total-Count X-Offset X-Missing-Count"
).split(" ");

const STORE_AWAY = "The store is unavailable.";

export async function createApp(parts: AppParts): Promise<Server<Caller>> {
  const { access, assets, catalogue, changes, clock, contact, logger, metricsText, outlines, publicUrl, writeError } =
    parts;
  const metrics = createDirectoryMetrics({
    engine: parts.engine,
    version: () => catalogue()?.version() ?? null,
    isStale: parts.isStale ?? (() => false),
  });
  const server = await createServer<Caller>({
    contract: directoryContract,
    logger,
    publicUrl,
    identify: createAuthenticate(access, metrics),
    onProblem: (problem) => metrics.refused(problem),
    readiness: async () => {
      if (catalogue() === null) return "The first version of the data is not open yet.";
      return (await writeError()) === null ? null : STORE_AWAY;
    },
    tracing: parts.tracing,
    localizeProblem,
    translate: mapStorageError(classifyStorageError, STORE_AWAY),
    headers: { "API-Version": directoryContract.version },
    cors: { exposedHeaders: EXPOSED },
    home: directoryHome,
    viewerFolder: parts.viewerFolder,
    ...(parts.connections && { connections: parts.connections }),
    docsPage: (running, language) => directoryDocs(running, { contact, clock, language }),
    french: {
      contract: frenchContract,
      home: frenchHome,
      problem: frenchProblemOnPage,
      sentence: (english) => frenchSentence(english) ?? english,
    },
    ofProcess: true,
    ...(metricsText && { metricsText }),
  });
  metrics.showIn(server.metrics.registry);
  if (parts.meterLag !== undefined) showMeter(server.metrics.registry, parts.meterLag);
  guardKeysInUrls(server.fastify);
  const { synonyms = starterSynonyms } = parts;
  const served = { catalogue, changes, synonyms, origin: () => server.url() };

  server.mount(
    getDiscovery,
    discoveryHandler(served, {
      contact,
      sendPage: (request, reply) => sendDocs({ request, reply }, server, { contact, clock }),
    }),
  );
  server.mount(getMeta, metaHandler(served));
  server.mount(getItems, itemsHandler(served, createPageCache(parts.pageBytes), metrics));
  server.mount(suggest, suggestHandler(served));
  server.mount(getItem, itemHandler(served));
  server.mount(getUsage, usageHandler(access, clock));
  mountItemPages(server, { ...served, formerAddress: parts.formerAddress });
  mountPages(server, {
    contact,
    clock,
    assets,
    outlines,
    tiles: parts.tiles ?? null,
    ...(parts.mapFolder && { mapFolder: parts.mapFolder }),
  });
  return server;
}

function tilesOf({ DIRECTORY_TILES_URL: url, DIRECTORY_TILES_ATTRIBUTION: attribution }: DirectoryConfig) {
  return url === undefined ? null : { url, attribution: attribution ?? null };
}

export interface OpenedParts extends Pick<
  AppParts,
  "access" | "clock" | "logger" | "mapFolder" | "meterLag" | "metricsText" | "tracing" | "viewerFolder" | "writeError"
> {
  readonly config: DirectoryConfig;
  readonly database: Database<StoreTables>;
  readonly source: Pick<WatchedSource, "current" | "state">;
}

export async function openApp({ config, database, source, ...parts }: OpenedParts): Promise<Server<Caller>> {
  const synonyms = await watchSynonyms(database);
  const app = await createApp({
    ...parts,
    synonyms: synonyms.current,
    assets: await loadPageAssets(pageAssets()),
    catalogue: () => source.current(),
    changes: createChangeLog(database.db),
    formerAddress: createFormerAddresses(database.db),
    engine: config.DIRECTORY_ENGINE,
    isStale: () => source.state().problem !== null,
    connections: connectionLimits(config),
    contact: config.DIRECTORY_CONTACT ?? null,
    pageBytes: config.DIRECTORY_PAGE_CACHE_BYTES,
    outlines: () => readOutlines(database.db),
    publicUrl: config.DIRECTORY_URL,
    tiles: tilesOf(config),
  });
  app.fastify.addHook("onClose", synonyms.close);
  return app;
}
