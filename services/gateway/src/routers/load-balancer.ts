/**
 * The routers behind the gateway, in turn. One that gives no answer is left out at once and looked at at once; a look succeeds or fails
 * within a second and comes every half second, so a router that returns is asked again well within two.
 */
import { repeat } from "@triptych/server";
import type { RouterAnswer, RouterCall, Routers } from "../domain/routers.ts";
import { openRouter, type OneRouter, type OneRouterOptions } from "./router-backend.ts";

export interface RoutersOptions extends Pick<OneRouterOptions, "serviceToken" | "now" | "onTurn"> {
  readonly urls: readonly string[];
  /** Hears why a call got no answer: for the log. */
  readonly onTrouble: (error: unknown) => void;
}

const LOOK_EVERY_MS = 500;
/** Two that give no answer are no accident any more, and the caller has waited long enough. */
const TRIES = 2;

/** Looks at all of them before it is ready, whatever is seen. */
export async function openRouters({ urls, onTrouble, ...options }: RoutersOptions): Promise<Routers & AsyncDisposable> {
  const all = urls.map((url) => openRouter({ ...options, url }));
  const lookAtAll = () => Promise.all(all.map((router) => router.look()));
  let turn = 0;

  await lookAtAll();
  const looking = repeat(lookAtAll, { everyMs: LOOK_EVERY_MS, onFault: onTrouble });
  return {
    async ask(call) {
      const tried = new Set<OneRouter>();
      for (let router = next(tried); router !== null && tried.size < TRIES; router = next(tried)) {
        tried.add(router);
        const answer = await askOne(router, call);
        if (answer.kind === "answered" || !call.isSafe) return answer;
      }
      return { kind: "unavailable" };
    },
    standing() {
      const shown = all.find(({ isWell }) => isWell) ?? all.find(({ seen }) => seen?.trunk != null) ?? all.at(0);
      const seen = shown?.seen ?? { latencyMs: null, model: null, trunk: null, experts: null };
      return { ...seen, isWell: all.some(({ isWell }) => isWell) };
    },
    async [Symbol.asyncDispose]() {
      await looking.stop();
      await Promise.all(all.map((router) => router[Symbol.asyncDispose]()));
    },
  };

  /** The next one in turn that is well and was not tried for this call. */
  function next(tried: ReadonlySet<OneRouter>): OneRouter | null {
    for (let step = 0; step < all.length; step++) {
      const router = all[turn++ % all.length];
      if (router.isWell && !tried.has(router)) return router;
    }
    return null;
  }

  async function askOne(router: OneRouter, call: RouterCall): Promise<RouterAnswer> {
    try {
      return await router.ask(call);
    } catch (error) {
      onTrouble(error);
      router.leaveOut();
      void router.look();
      return { kind: "unavailable" };
    }
  }
}
