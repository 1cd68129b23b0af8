/** All gateways of an installation share the store. */
import type { StoreLocation } from "@triptych/storage";
import { type AnswerStore, StoreUnavailableError } from "../domain/idempotency-store.ts";
import type { MinuteWindow } from "../domain/concurrency-limiter.ts";
import { openAnswerStore } from "./idempotency-store.ts";
import { gatewayStore } from "./migrations.ts";
import { openMinuteWindow } from "./rate-limit-store.ts";

export interface GatewayStore extends AsyncDisposable {
  readonly answers: AnswerStore;
  readonly minute: MinuteWindow;
}

export async function openStore(location: StoreLocation): Promise<GatewayStore> {
  const database = await gatewayStore.open(location);
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
