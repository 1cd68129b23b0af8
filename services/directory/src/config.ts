/** The environment of the directory: names, defaults and bounds of its variables. Shared variables are those of the conventions. */
import { connectionVariables } from "@triptych/server";
import { Type, type Static } from "typebox";

export const DirectoryConfig = Type.Object({
  HOST: Type.String({ default: "127.0.0.1", description: "address to listen on" }),
  DIRECTORY_PORT: Type.Integer({ default: 7002, minimum: 0, maximum: 65_535, description: "port, 0 for any free one" }),
  DIRECTORY_URL: Type.Optional(
    Type.String({
      pattern: "^https?://[^/?#]+(/[^?#]*)?$",
      description: "http(s) address under which others reach the directory, without query",
    }),
  ),
  TRIPTYCH_DATA: Type.String({ default: ".triptych", description: "folder of the data" }),
  DATABASE_URL: Type.Optional(
    Type.String({
      pattern: "^postgres(ql)?://",
      description: "postgres:// address; SQLite in TRIPTYCH_DATA when unset",
    }),
  ),
  NODE_ENV: Type.String({ default: "development", description: "`production` creates nothing by itself" }),
  ...connectionVariables(),
  LOG_LEVEL: Type.Enum(["silent", "fatal", "error", "warn", "info", "debug"], {
    default: "info",
    description: "silent, fatal, error, warn, info or debug",
  }),
  DIRECTORY_ENGINE: Type.Enum(["memory", "postgres"], { default: "memory", description: "memory or postgres" }),
  DIRECTORY_WORKERS: Type.Integer({
    default: 1,
    minimum: 1,
    maximum: 64,
    description: "threads that answer HTTP, 1 to 64; they share one index",
  }),
  DIRECTORY_INDEX_BYTES: Type.Optional(
    Type.Integer({ minimum: 1_000_000, description: "most bytes the index may take; half of the memory when unset" }),
  ),
  DIRECTORY_ITEM_BYTES: Type.Optional(
    Type.Integer({
      minimum: 0,
      description:
        "items stay in memory once asked for where all take no more bytes; an eighth of the memory when unset",
    }),
  ),
  DIRECTORY_PAGE_BYTES: Type.Integer({
    default: 64 * 1024 * 1024,
    minimum: 0,
    description: "pages made before stay ready to be sent again, up to so many bytes a thread; 0 keeps none",
  }),
  DIRECTORY_CONTACT: Type.Optional(
    Type.String({ maxLength: 200, description: "where a key is asked for: an address or a page" }),
  ),
  DIRECTORY_PRICE_TIERS: Type.String({
    default: '[{"up_to":null,"price_micro":100}]',
    description: "JSON list of graduated tiers {up_to, price_micro}, micro-euros an item",
  }),
});
export type DirectoryConfig = Static<typeof DirectoryConfig>;
