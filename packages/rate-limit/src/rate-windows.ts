/**
 * Exact sliding windows of any length, by name. With PostgreSQL, one statement decides under the lock of the name, by
 * the database clock. An embedded service decides in memory.
 */
import type { Database, MigrationSource } from "@triptych/storage";
import { createSlidingWindow, type WindowState } from "./sliding-window.ts";
import { peekWindow, takeInWindow } from "./store/rate-window.ts";

export interface RateWindow {
  take(key: string, limit: number): Promise<WindowState & { readonly accepted: boolean }>;
  peek(key: string, limit: number): Promise<WindowState>;
}

export interface RateWindows {
  /** Windows with the same name share their counts across processes. */
  open(name: string, spanMs: number): RateWindow;
}

export interface RateWindowsOptions<Schema> {
  readonly database: Pick<Database<Schema>, "engine" | "db">;
  readonly clock?: () => number;
}

/** The PostgreSQL table, for services that use windows but not API keys and plans. */
export const windowMigrations: MigrationSource = {
  component: "rate_window",
  directory: new URL("../migrations/", import.meta.url),
};

/** PostgreSQL-only tables that `store copy` omits: their rows live for at most an hour. */
export const windowTables: readonly string[] = ["rate_window", "rate_window_part"];

export function openRateWindows<Schema>({ database, clock }: RateWindowsOptions<Schema>): RateWindows {
  return database.engine === "sqlite" ? windowsInMemory(clock ?? Date.now) : windowsIn(database, clock);
}

function windowsInMemory(clock: () => number): RateWindows {
  const opened = new Map<string, RateWindow>();
  return {
    open(name, spanMs) {
      const existing = opened.get(name);
      if (existing !== undefined) return existing;
      const window = createSlidingWindow(spanMs);
      const made: RateWindow = {
        take: (key, limit) => Promise.resolve(window.take(key, limit, clock())),
        peek: (key, limit) => Promise.resolve(window.peek(key, limit, clock())),
      };
      opened.set(name, made);
      return made;
    },
  };
}

function windowsIn<Schema>(database: Pick<Database<Schema>, "db">, clock: (() => number) | undefined): RateWindows {
  return {
    open: (name, spanMs) => ({
      async take(key, limit) {
        const query = { name: `${name} ${key}`, limit, spanMs, now: clock?.() ?? null };
        const { at, accepted, counted, oldest } = await takeInWindow(database, query);
        return { accepted: accepted === 1, remaining: limit - counted, resetMs: oldest + spanMs - at };
      },
      async peek(key, limit) {
        const query = { name: `${name} ${key}`, spanMs, now: clock?.() ?? null };
        const { at, counted, oldest } = await peekWindow(database, query);
        const resetMs = oldest === null ? 0 : Math.min(spanMs, oldest + spanMs - at);
        return { remaining: Math.max(0, limit - counted), resetMs };
      },
    }),
  };
}
