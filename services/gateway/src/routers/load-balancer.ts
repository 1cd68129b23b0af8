/**
 * Round robin over the routers. A router that does not respond is removed and checked immediately. Checks run every
 * half second with a timeout of one second, so a recovered router is used again within two seconds.
 */
import { repeat } from "@triptych/server";
import type { RouterAnswer, RouterCall, Routers } from "../domain/routers.ts";
import { openRouter, type RouterBackend, type RouterBackendOptions } from "./router-backend.ts";

export interface RoutersOptions extends Pick<
  RouterBackendOptions,
  "serviceToken" | "now" | "onHealthChange" | "tracing"
> {
  readonly urls: readonly string[];
  readonly onError: (error: unknown) => void;
}

const HEALTH_INTERVAL_MS = 500;
/** After two failures, a third attempt would probably fail too, and the caller has waited long enough. */
const TRIES = 2;

/** Resolves when all routers have been checked once, whatever the result. */
export async function openRouters({ urls, onError, ...options }: RoutersOptions): Promise<Routers & AsyncDisposable> {
  const all = urls.map((url) => openRouter({ ...options, url }));
  const checkAll = () => Promise.all(all.map((router) => router.check()));
  let cursor = 0;

  await checkAll();
  const looking = repeat(checkAll, { everyMs: HEALTH_INTERVAL_MS, onError });
  return {
    async ask(call) {
      const tried = new Set<RouterBackend>();
      for (let router = next(tried); router !== null && tried.size < TRIES; router = next(tried)) {
        tried.add(router);
        const answer = await askBackend(router, call);
        if (answer.kind === "answered" || !call.isSafe) return answer;
      }
      return { kind: "unavailable" };
    },
    status() {
      const representative =
        all.find(({ isHealthy }) => isHealthy) ?? all.find(({ seen }) => seen?.trunk != null) ?? all.at(0);
      const seen = representative?.seen ?? { latencyMs: null, model: null, trunk: null, experts: null };
      return { ...seen, isHealthy: all.some(({ isHealthy }) => isHealthy) };
    },
    async [Symbol.asyncDispose]() {
      await looking.stop();
      await Promise.all(all.map((router) => router[Symbol.asyncDispose]()));
    },
  };

  /** The next healthy router that this call has not tried yet. */
  function next(tried: ReadonlySet<RouterBackend>): RouterBackend | null {
    for (let step = 0; step < all.length; step++) {
      const router = all[cursor++ % all.length];
      if (router.isHealthy && !tried.has(router)) return router;
    }
    return null;
  }

  async function askBackend(router: RouterBackend, call: RouterCall): Promise<RouterAnswer> {
    try {
      return await router.ask(call);
    } catch (error) {
      onError(error);
      router.markUnhealthy();
      void router.check();
      return { kind: "unavailable" };
    }
  }
}
