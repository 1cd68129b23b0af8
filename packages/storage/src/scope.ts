/**
 * Rejects queries that bypass their transaction: inside `database.transaction(tx => …)`, using the outer `db` would
 * deadlock.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Driver } from "kysely";
import { StoreError } from "./errors.ts";

export interface Scope {
  inside<T>(work: () => Promise<T>): Promise<T>;
  /** Runs `work`; a transaction in it may hold the writer for `limitMs`. */
  withLimit<T>(limitMs: number, work: () => Promise<T>): Promise<T>;
  limitMs(): number | undefined;
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
        // Timers and promises started inside inherit the scope, so deactivate it: it must have no effect afterwards.
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
      releaseConnection: (connection) => driver.releaseConnection(connection),
      destroy: (options) => driver.destroy(options),
    }),
  };

  function assertOutside(): void {
    if (current.getStore()?.active !== true) return;
    throw new StoreError("nested", "Inside a transaction, every query must use the transaction, not the database.");
  }
}
