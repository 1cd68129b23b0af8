export { forEachEngine, type EngineName, type StoreLocation, type StoresUnderTest } from "./for-each-engine.ts";
export { openPglite } from "./open-pglite.ts";
export {
  postgresAvailable,
  postgresMissing,
  startPostgres,
  withoutPostgres,
  type PostgresServer,
} from "./postgres-server.ts";
export { crashableDatabase, type CrashControl, type CrashableDatabase } from "./crashable-database.ts";
