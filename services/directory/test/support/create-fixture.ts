/** The real app on an in-memory store, with keys and a clock controlled by the test. */
import { randomBytes } from "node:crypto";
import { createKeys, openKeyCache, openKeyStore, type KeySettings, type NewKey } from "@triptych/api-keys";
import { createSlidingWindow } from "@triptych/rate-limit";
import { openEmbeddedMeter } from "@triptych/usage-metering";
import { createLogger } from "@triptych/server";
import { createWriteProbe, openDatabase } from "@triptych/storage";
import { createApp, type AppParts } from "../../src/app.ts";
import type { Catalogue } from "../../src/domain/catalogue.ts";
import { SAMPLE_TAGS, sampleItems } from "../../src/domain/seed-data/sample-items.ts";
import { createFormerAddresses } from "../../src/store/former-addresses.ts";
import { createChangeLog } from "../../src/store/change-log.ts";
import { createAccess } from "../../src/store/access.ts";
import { KEY_FORMS, meteredPlans } from "../../src/store/access.ts";
import { DIRECTORY_MIGRATIONS, DIRECTORY_SCHEMA, type StoreTables } from "../../src/store/tables.ts";
import { compareBytes } from "../../src/domain/index/string-table.ts";
import { openInMemory } from "./open-in-memory.ts";

export interface Ask {
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: "GET" | "HEAD" | "OPTIONS" | "POST" | "PUT" | "PATCH" | "DELETE";
}

export type Fixture = Awaited<ReturnType<typeof createFixture>>;

export interface FixtureOptions {
  readonly catalogue?: Catalogue | null | (() => Catalogue | null);
  readonly changes?: AppParts["changes"];
  readonly formerAddress?: AppParts["formerAddress"];
  readonly startAt?: number;
  readonly outlines?: AppParts["outlines"];
  readonly mapFolder?: AppParts["mapFolder"];
}

/** Small enough that tests also cover eviction. */
const PAGE_BYTES = 2_000_000;

let sample: Promise<Catalogue> | null = null;

/** Catalogues are immutable: one of the sample serves all tests without their own. */
export function sampleCatalogue(): Promise<Catalogue> {
  const items = sampleItems(Date.UTC(2026, 0, 1)).sort(
    (a, b) => compareBytes(a.item.type, b.item.type) || compareBytes(a.item.slug, b.item.slug),
  );
  sample ??= openInMemory(items, SAMPLE_TAGS);
  return sample;
}

export async function createFixture({
  catalogue,
  changes,
  formerAddress,
  startAt = Date.UTC(2026, 10, 20, 12),
  outlines = async () => null,
  mapFolder,
}: FixtureOptions = {}) {
  const served = catalogue === undefined ? await sampleCatalogue() : catalogue;
  const lines: string[] = [];
  const errors: unknown[] = [];
  let now = startAt;
  const clock = () => now;
  const random = (bytes: number) => randomBytes(bytes);
  const database = await openDatabase<StoreTables>({
    url: "sqlite::memory:",
    schema: DIRECTORY_SCHEMA,
    migrations: DIRECTORY_MIGRATIONS,
  });
  const plans = meteredPlans('[{"up_to":null,"price_micro":100}]');
  const store = openKeyStore(database);
  const keys = createKeys({ store, plans, forms: KEY_FORMS, clock, random });
  const ring = await openKeyCache({ store, forms: KEY_FORMS, clock, onError: (error) => errors.push(error) });
  const window = createSlidingWindow();
  const onError = (error: unknown) => errors.push(error);
  const meter = await openEmbeddedMeter({ database, plans, window, clock, random, onError });
  const access = createAccess({ ring, meter });
  const logger = createLogger({
    service: "directory",
    level: "debug",
    destination: { write: (line) => void lines.push(line) },
  });
  const app = await createApp({
    access,
    catalogue: typeof served === "function" ? served : () => served,
    changes: changes ?? createChangeLog(database.db),
    formerAddress: formerAddress ?? createFormerAddresses(database.db),
    clock,
    engine: "memory",
    meterLag: () => meter.lag(),
    assets: [],
    outlines,
    ...(mapFolder && { mapFolder }),
    contact: null,
    // Every call probes: the shared result of a second would hide a store that fails in the meantime.
    writeError: () => createWriteProbe(database)(),
    logger,
    pageBytes: PAGE_BYTES,
    publicUrl: "http://directory.test",
  });

  const createKey = async (options: Partial<NewKey> = {}) => {
    const created = await keys.create({ name: "test", plan: "discovery", test: true, ...options });
    await ring.refresh();
    return created;
  };
  return {
    app,
    database,
    meter,
    errors,
    /** All log lines. */
    lines,
    createKey,
    discovery: (await createKey()).secret,
    pro: (await createKey({ plan: "pro" })).secret,
    /** Advances the clock. */
    pass: (ms: number) => (now += ms),
    now: clock,
    async setKey(id: string, settings: KeySettings) {
      await keys.set(id, settings);
      await ring.refresh();
    },
    async revokeKey(id: string) {
      await keys.revoke(id);
      await ring.refresh();
    },
    ask(url: string, { key, headers = {}, method = "GET" }: Ask = {}) {
      return app.fastify.inject({
        method,
        url,
        headers: { ...(key !== undefined && { "x-api-key": key }), ...headers },
      });
    },
    async [Symbol.asyncDispose]() {
      await app.stop();
      await access.close();
      await database.close();
    },
  };
}
