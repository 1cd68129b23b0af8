/** The public names of the store's door. */
export { type Database, type Engine, type OpenOptions, openDatabase, type TransactionOptions } from "./database.ts";
export {
  isCheckViolation,
  isContention,
  isForeignKeyViolation,
  isUniqueViolation,
  SqliteError,
  StoreError,
  type StoreFault,
} from "./errors.ts";
export type { MigrationSource } from "./migrations/migrate.ts";
export { batch, insertMany, type InsertManyOptions } from "./insert-many.ts";
export type { Value } from "./statement.ts";
