/** Opens the configured store: SQLite in the data folder, or PostgreSQL. All gateways of an installation share it. */
import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { openDatabase } from "@triptych/storage";
import type { AnswerStore } from "../domain/idempotency-store.ts";
import { StoreUnavailableError } from "../domain/store-errors.ts";
import type { MinuteWindow } from "../domain/concurrency-limiter.ts";
import { openAnswerStore } from "./idempotency-store.ts";
import { GATEWAY_MIGRATIONS, GATEWAY_SCHEMA } from "./migrations.ts";
import { openMinuteWindow } from "./rate-limit-store.ts";
import type { GatewayTables } from "./tables.ts";

export interface StoreLocation {
  readonly dataFolder: string;
  /** PostgreSQL URL; undefined selects SQLite in the data folder. */
  readonly databaseUrl: string | undefined;
}

export interface GatewayStore extends AsyncDisposable {
  readonly answers: AnswerStore;
  readonly minute: MinuteWindow;
}

export async function openStore(location: StoreLocation): Promise<GatewayStore> {
  if (location.databaseUrl === undefined) await mkdir(location.dataFolder, { recursive: true, mode: 0o700 });
  const database = await openDatabase<GatewayTables>({ ...addressOf(location), migrations: GATEWAY_MIGRATIONS });
  const answers = openAnswerStore(database);
  const minute = openMinuteWindow({ database });
  return {
    answers: {
      ...answers,
      keep: (answer) => answers.keep(answer).catch(refuse),
      find: (location) => answers.find(location).catch(refuse),
    },
    minute: {
      take: (wallet, limit) => minute.take(wallet, limit).catch(refuse),
      peek: (wallet, limit) => minute.peek(wallet, limit).catch(refuse),
    },
    [Symbol.asyncDispose]: () => database.close(),
  };
}

function refuse(error: unknown): never {
  throw new StoreUnavailableError(error);
}

export function addressOf({ dataFolder, databaseUrl }: StoreLocation) {
  return { url: databaseUrl ?? `sqlite:${storeFile(dataFolder)}`, schema: GATEWAY_SCHEMA };
}

function storeFile(dataFolder: string): string {
  return resolve(dataFolder, "gateway.db");
}
