/**
 * Runs one suite on every store. `forEachEngine` defines the same tests for an SQLite file and PGlite, and with
 * `TEST_LONG` also for SQLite in memory and a PostgreSQL server. If PostgreSQL is not installed, its suite is skipped;
 * in CI it fails.
 *
 *     forEachEngine<Tables>("the item store", { migrations }, (open) => {
 *       test("a stored item is found again", async () => {
 *         await using database = await open();
 *         …
 *       });
 *     });
 */
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import type { Database, Engine } from "../database.ts";
import { openDatabase, type OpenOptions } from "../open-database.ts";
import type { MigrationSource } from "../migrations/migrate.ts";
import { createEmptiedSchemas, type EmptiedSchemas } from "./schema-pool.ts";
import { closePglite, openPglite } from "./open-pglite.ts";
import { postgresMissing, startPostgres } from "./postgres-server.ts";

const ENGINES = ["SQLite in memory", "a SQLite file", "PGlite", "PostgreSQL"] as const;
export type EngineName = (typeof ENGINES)[number];

export interface SuiteOptions {
  readonly migrations: readonly MigrationSource[];
  readonly engines?: readonly EngineName[];
  /** PostgreSQL gets a database with PostGIS in `public`. */
  readonly postgis?: boolean;
}

/**
 * Location of a store that can be opened repeatedly or concurrently. Disposal removes everything that would outlive the
 * process.
 */
export interface StoreLocation<Schema> extends AsyncDisposable {
  readonly url: string;
  readonly schema: string;
  open(options?: Partial<Pick<OpenOptions, "migrations" | "readOnly">>): Promise<Database<Schema>>;
}

export interface StoresUnderTest<Schema> {
  readonly name: EngineName;
  readonly engine: Engine;
  /** False in memory, where each opening is a new store. */
  readonly shared: boolean;
  /** True if transactions of several connections can run concurrently. */
  readonly concurrent: boolean;
  createLocation(): Promise<StoreLocation<Schema>>;
}

interface Stores<Schema> extends StoresUnderTest<Schema> {
  /** Set if creating a schema is expensive. */
  readonly emptied?: EmptiedSchemas;
  createLocation(schema?: string): Promise<StoreLocation<Schema>>;
}

type Open<Schema> = () => Promise<Database<Schema>>;

export function forEachEngine<Schema>(
  title: string,
  options: SuiteOptions,
  suite: (open: Open<Schema>, stores: StoresUnderTest<Schema>) => void,
): void {
  // Registered at the root, to run after all suites of the process.
  after(closePglite);
  const engines = enginesOf(options);
  for (const stores of createStores<Schema>(options)) {
    if (!engines.includes(stores.name)) continue;

    const missing = stores.name === "PostgreSQL" ? postgresMissing() : undefined;
    if (missing !== undefined && process.env["CI"] !== undefined) {
      test(`${title} on PostgreSQL`, () => {
        throw new Error(`${missing}; in CI it must be.`);
      });
      continue;
    }
    describe(`${title} on ${stores.name}`, { skip: missing ?? false }, () => suite(() => openFresh(stores), stores));
  }
}

/** In short runs, omits the second SQLite and the second PostgreSQL if the suite allows it. */
function enginesOf({ engines = ENGINES }: SuiteOptions): readonly EngineName[] {
  const short = engines.filter((engine) => engine === "a SQLite file" || engine === "PGlite");
  return process.env["TEST_LONG"] === undefined && short.length > 0 ? short : engines;
}

/** Opens an empty store; closing it removes it, or empties it for reuse. */
async function openFresh<Schema>(stores: Stores<Schema>): Promise<Database<Schema>> {
  const { emptied } = stores;
  const location = await stores.createLocation(emptied?.take());
  let closing: Promise<void> | undefined;
  try {
    const database = await location.open();
    await emptied?.remember(location.schema, database);
    const giveBackAndClose = async (): Promise<void> => {
      await emptied?.giveBack(location.schema, database);
      await closeAndRemove(database, location);
    };
    const close = (): Promise<void> => (closing ??= giveBackAndClose());
    return { ...database, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await location[Symbol.asyncDispose]();
    throw error;
  }
}

async function closeAndRemove(database: AsyncDisposable, location: AsyncDisposable): Promise<void> {
  try {
    await database[Symbol.asyncDispose]();
  } finally {
    await location[Symbol.asyncDispose]();
  }
}

function createStores<Schema>({ migrations, postgis = false }: SuiteOptions): Stores<Schema>[] {
  // Nothing to remove: in-memory stores and test servers end with the process, and dropping schemas takes time.
  const locationOf = (
    url: string,
    { schema = newSchema(), remove = () => Promise.resolve() }: { schema?: string; remove?: () => Promise<void> } = {},
  ): StoreLocation<Schema> => {
    return {
      url,
      schema,
      open: (options) => {
        const openOptions = { url, schema, migrations, ...options };
        return url === PGLITE ? openPglite<Schema>(openOptions) : openDatabase<Schema>(openOptions);
      },
      [Symbol.asyncDispose]: remove,
    };
  };

  return [
    {
      name: "SQLite in memory",
      engine: "sqlite",
      shared: false,
      concurrent: false,
      createLocation: () => Promise.resolve(locationOf("sqlite::memory:")),
    },
    {
      name: "a SQLite file",
      engine: "sqlite",
      shared: true,
      concurrent: true,
      async createLocation() {
        const folder = await mkdtemp(join(tmpdir(), "triptych-store-"));
        return locationOf(`sqlite:${join(folder, "store.db")}`, {
          remove: () => rm(folder, { recursive: true, force: true }),
        });
      },
    },
    {
      name: "PGlite",
      engine: "postgres",
      shared: true,
      concurrent: false,
      emptied: emptiedOf(PGLITE, migrations),
      createLocation: (schema) => Promise.resolve(locationOf(PGLITE, { schema })),
    },
    {
      name: "PostgreSQL",
      engine: "postgres",
      shared: true,
      concurrent: true,
      emptied: emptiedOf(`server ${postgis ? "with" : "without"} postgis`, migrations),
      createLocation: async (schema) => locationOf(await commonDatabase({ postgis }), { schema }),
    },
  ];
}

/** Each store gets its own schema, which is much cheaper than a database. */
function newSchema(): string {
  return `test_${randomUUID().replaceAll("-", "")}`;
}

const PGLITE = "pglite";
const databases = new Map<boolean, Promise<string>>();
const emptiedSchemas = new Map<string, EmptiedSchemas>();

/** Shared by all suites of a process with identical stores. */
function emptiedOf(where: string, migrations: readonly MigrationSource[]): EmptiedSchemas {
  const key = [where, ...migrations.map(({ directory }) => directory.href)].join(" ");
  const emptied = emptiedSchemas.get(key) ?? createEmptiedSchemas();
  emptiedSchemas.set(key, emptied);
  return emptied;
}

/** One database for all suites of a process with the same extensions. */
function commonDatabase({ postgis }: { readonly postgis: boolean }): Promise<string> {
  const database =
    databases.get(postgis) ?? startPostgres({ durable: false }).then((server) => server.createDatabase({ postgis }));
  databases.set(postgis, database);
  return database;
}
