export { forEachEngine, type EngineName, type StoreLocation, type StoresUnderTest } from "./for-each-engine.ts";
export { openPglite } from "./open-pglite.ts";
export {
  postgresAvailable,
  postgresMissing,
  startPostgres,
  withoutPostgres,
  type PostgresServer,
} from "./postgres-server.ts";
export { mortalDatabase, type Fate, type Mortal } from "./crashable-database.ts";
