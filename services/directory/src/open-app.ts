import { connectionLimits, loadPageAssets, type Server } from "@triptych/server";
import type { Database, WriteProbe } from "@triptych/storage";
import type { Logger } from "pino";
import { createApp } from "./app.ts";
import type { DirectoryConfig } from "./config.ts";
import type { Access } from "./domain/access.ts";
import type { CatalogueSource } from "./domain/catalogue.ts";
import type { Caller } from "./http/caller.ts";
import { pageAssets } from "./pages/page-assets.ts";
import type { StoreTables } from "./store/migrations.ts";
import { readOutlines } from "./store/boundaries.ts";

export interface OpenedParts {
  readonly config: DirectoryConfig;
  readonly logger: Logger;
  readonly clock: () => number;
  readonly access: Access;
  readonly database: Database<StoreTables>;
  readonly source: CatalogueSource;
  readonly writeError: WriteProbe;
  readonly metricsText?: () => Promise<string>;
}

export async function openApp({
  config,
  logger,
  clock,
  access,
  database,
  source,
  writeError,
  metricsText,
}: OpenedParts): Promise<Server<Caller>> {
  return createApp({
    access,
    assets: await loadPageAssets(pageAssets()),
    catalogue: () => source.current(),
    clock,
    connections: connectionLimits(config),
    contact: config.DIRECTORY_CONTACT ?? null,
    logger,
    pageBytes: config.DIRECTORY_PAGE_CACHE_BYTES,
    outlines: () => readOutlines(database.db),
    publicUrl: config.DIRECTORY_URL,
    writeError,
    ...(metricsText && { metricsText }),
  });
}
