export { backupSqlite, integrityIssues, migrationsIn } from "./backup/sqlite-backup.ts";
export {
  copyStore,
  type CopiedTable,
  type CopyOptions,
  type CopyProgress,
  type StoreAddress,
} from "./transfer/transfer-store.ts";
export {
  createServiceStore,
  locationOf,
  lockCredentials,
  type ServiceStore,
  type StoreBackup,
  type StoreCheck,
  type StoreCopy,
  type StoreLocation,
} from "./service-store.ts";
export type { Database, Engine, TransactionOptions } from "./database.ts";
export { type OpenOptions, openDatabase } from "./open-database.ts";
export {
  isCheckViolation,
  isContention,
  isForeignKeyViolation,
  isUniqueViolation,
  SqliteError,
  StoreError,
  type StoreErrorCode,
} from "./errors.ts";
export { classifyStorageError } from "./storage-errors.ts";
export { countSealed, type Resealed, resealRows, type SealedCount, type SealedRow } from "./sealed-rows.ts";
export { createWriteProbe, type WriteProbe } from "./write-probe.ts";
export { acquireFileLock, type Lock, FileLockHeldError, type LockOptions } from "./file-lock.ts";
export type { MigrationSource } from "./migrations/migrate.ts";
export { batch, insertMany, type InsertManyOptions } from "./insert-many.ts";
export { readPrepared } from "./postgres/prepared.ts";
export type { OpenProcedures, ProcedureName, Procedures, Statements } from "./sqlite/writer-procedures.ts";
export type { Value } from "./statement.ts";
/** Kysely is re-exported, so that only this package pins its version. */
export {
  type Generated,
  type Insertable,
  type Kysely,
  type Selectable,
  sql,
  type SqlBool,
  type Transaction,
  type Updateable,
} from "kysely";
