import { connectionVariables } from "@triptych/server";
import { Type, type Static } from "typebox";

export const DirectoryConfig = Type.Object({
  HOST: Type.String({ default: "127.0.0.1", description: "address to listen on" }),
  DIRECTORY_PORT: Type.Integer({ default: 7002, minimum: 0, maximum: 65_535, description: "port, 0 for any free one" }),
  DIRECTORY_URL: Type.Optional(
    Type.String({
      pattern: "^https?://[^/?#]+(/[^?#]*)?$",
      description: "public http(s) URL of the directory, without a query",
    }),
  ),
  TRIPTYCH_DATA: Type.String({ default: ".triptych", description: "data folder" }),
  DATABASE_URL: Type.Optional(
    Type.String({
      pattern: "^postgres(ql)?://",
      description: "postgres:// URL; SQLite in TRIPTYCH_DATA when unset",
    }),
  ),
  NODE_ENV: Type.String({ default: "development", description: "`production` disables sample data and demo keys" }),
  ...connectionVariables(),
  LOG_LEVEL: Type.Enum(["silent", "fatal", "error", "warn", "info", "debug"], {
    default: "info",
    description: "silent, fatal, error, warn, info or debug",
  }),
  DIRECTORY_ENGINE: Type.Enum(["memory", "postgres"], { default: "memory", description: "memory or postgres" }),
  DIRECTORY_HTTP_THREADS: Type.Integer({
    default: 1,
    minimum: 1,
    maximum: 64,
    description: "HTTP threads, 1 to 64; they share one index",
  }),
  DIRECTORY_INDEX_BYTES: Type.Optional(
    Type.Integer({
      minimum: 1_000_000,
      description: "maximum size of the index in bytes; default: half of the memory",
    }),
  ),
  DIRECTORY_ITEM_CACHE_BYTES: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: "cache items in memory if all of them fit in this many bytes; default: an eighth of the memory",
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
  DIRECTORY_PRICE_TIERS: Type.String({
    default: '[{"up_to":null,"price_micro":100}]',
    description: "JSON array of graduated tiers {up_to, price_micro}, in micro-euros per item",
  }),
});
export type DirectoryConfig = Static<typeof DirectoryConfig>;
