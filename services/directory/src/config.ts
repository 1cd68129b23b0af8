import { parsePriceTiers } from "@triptych/usage-metering/price";
import {
  ConfigError,
  connectionVariables,
  defineSettings,
  readConfig,
  serviceVariables,
  type Environment,
} from "@triptych/config";
import { Type, type Static } from "typebox";

const TIERS_FORM = "JSON array of graduated tiers {up_to, price_micro}, in micro-euros per item";

export const DirectoryConfig = Type.Object({
  ...serviceVariables(),
  DIRECTORY_PORT: Type.Integer({ default: 7002, minimum: 0, maximum: 65_535, description: "port, 0 for any free one" }),
  DIRECTORY_URL: Type.Optional(
    Type.String({
      pattern: "^https?://[^/?#]+(/[^?#]*)?$",
      description: "public http(s) URL of the directory, without a query",
      unset: "the listening address",
      details: "Used in links",
    }),
  ),
  ...connectionVariables(),
  DIRECTORY_ENGINE: Type.Enum(["memory", "postgres"], {
    default: "memory",
    description: "memory or postgres",
    details:
      "`memory`: an index in memory. `postgres`: PostgreSQL with PostGIS and pg_trgm; its order of relevance is PostgreSQL's own",
  }),
  DIRECTORY_HTTP_THREADS: Type.Integer({
    default: 1,
    minimum: 1,
    maximum: 64,
    description: "HTTP threads, 1 to 64; they share one index",
    details: "On the one port, with one meter",
  }),
  DIRECTORY_INDEX_BYTES: Type.Optional(
    Type.Integer({
      minimum: 1_000_000,
      description: "maximum size of the index in bytes",
      unset: "half of the memory",
      details: "A larger index is refused at start",
    }),
  ),
  DIRECTORY_ITEM_CACHE_BYTES: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: "cache items in memory if all of them fit in this many bytes",
      unset: "an eighth of the memory",
      details: "Else items are read from their file",
    }),
  ),
  DIRECTORY_PAGE_CACHE_BYTES: Type.Integer({
    default: 64 * 1024 * 1024,
    minimum: 0,
    description: "size of the page cache per thread in bytes; 0 disables it",
  }),
  DIRECTORY_CONTACT: Type.Optional(
    Type.String({ maxLength: 200, description: "contact for API keys: an email address or a URL" }),
  ),
  DIRECTORY_TILES_URL: Type.Optional(
    Type.String({
      pattern: "^https?://[^\\s;,'\"/]+/[^\\s]+$",
      description: "base map of the map page: a raster template with {z}, {x}, {y}, or the URL of a MapLibre style",
      unset: "the outlines of the départements, offline",
      details: "Browsers load it; the content security policy allows its origin only",
    }),
  ),
  DIRECTORY_TILES_ATTRIBUTION: Type.Optional(
    Type.String({ maxLength: 200, description: "source of the base map, shown under the map" }),
  ),
  DIRECTORY_PRICE_TIERS: Type.String({
    default: '[{"up_to":null,"price_micro":100}]',
    description: TIERS_FORM,
    details: "Over the items of a UTC month",
  }),
});
export type DirectoryConfig = Static<typeof DirectoryConfig>;

/** Issues that the schema cannot find, because prices are JSON. */
function priceIssues({ DIRECTORY_PRICE_TIERS: tiers }: Environment): readonly string[] {
  try {
    if (tiers) parsePriceTiers(tiers);
    return [];
  } catch {
    return [`DIRECTORY_PRICE_TIERS: ${TIERS_FORM}`];
  }
}

function engineIssues({ DIRECTORY_ENGINE: engine, DATABASE_URL: url }: Environment): readonly string[] {
  return engine === "postgres" && !url
    ? ["DIRECTORY_ENGINE: postgres requires DATABASE_URL, the URL of a PostgreSQL server with PostGIS"]
    : [];
}

export const settings = defineSettings("directory", DirectoryConfig, [priceIssues, engineIssues]);

/** Throws ConfigError with every issue. */
export function readSettings(environment: Environment): DirectoryConfig {
  const issues = settings.issuesOf(environment);
  if (issues.length > 0) throw new ConfigError(issues);
  return readConfig(DirectoryConfig, environment);
}
