/**
 * Notices that a query goes past the transaction it stands in. Inside `database.transaction(tx => …)` everything must go
 * through `tx`: with one writer the outer `db` would wait for the very transaction that waits for it, and on PostgreSQL it
 * would take a second connection while holding the first, which ends the same way once all are taken. So it is refused,
 * alike on every engine.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Driver } from "kysely";
import { StoreError } from "./errors.ts";

export interface Scope {
  /** Runs `work` as the inside of a transaction. */
  inside<T>(work: () => Promise<T>): Promise<T>;
  /** Runs `work` so that a transaction begun in it may hold its turn this long. */
  withLimit<T>(limitMs: number, work: () => Promise<T>): Promise<T>;
  limitMs(): number | undefined;
  /** Throws inside a transaction. */
  assertOutside(): void;
  guard(driver: Driver): Driver;
}

export function createScope(): Scope {
  const current = new AsyncLocalStorage<{ active: boolean }>();
  const limit = new AsyncLocalStorage<number>();

  return {
    async inside(work) {
      const state = { active: true };
      try {
        return await current.run(state, work);
      } finally {
        // Timers and promises started inside carry the place with them; afterwards it forbids nothing.
        state.active = false;
      }
    },
    withLimit: (limitMs, work) => limit.run(limitMs, work),
    limitMs: () => limit.getStore(),
    assertOutside,
    guard: (driver) => ({
      init: (options) => driver.init(options),
      acquireConnection: async () => {
        assertOutside();
        return await driver.acquireConnection();
      },
      beginTransaction: (connection, settings) => driver.beginTransaction(connection, settings),
      commitTransaction: (connection) => driver.commitTransaction(connection),
      rollbackTransaction: (connection) => driver.rollbackTransaction(connection),
      savepoint: async (connection, name, compile) => driver.savepoint?.(connection, name, compile),
      rollbackToSavepoint: async (connection, name, compile) => driver.rollbackToSavepoint?.(connection, name, compile),
      releaseSavepoint: async (connection, name, compile) => driver.releaseSavepoint?.(connection, name, compile),
      releaseConnection: (connection) => driver.releaseConnection(connection),
      destroy: (options) => driver.destroy(options),
    }),
  };

  function assertOutside(): void {
    if (current.getStore()?.active !== true) return;
    throw new StoreError(
      "nested",
      "Inside a transaction every query must use the transaction itself, not the database around it.",
    );
  }
}
