/** The front of the rail's campaign: minimal gateways with real billing. */
import type { ProxyFault } from "../test/sim/paying-proxy.ts";
import type { ProxyConfig } from "./children/proxy.ts";
import { openPost } from "./post.ts";
import type { Front, StageContext } from "./stage.ts";
import { openStandby } from "./standby.ts";

export interface ProxiesOptions {
  readonly proxies: number;
  readonly fault?: ProxyFault | null;
}

export function openProxies({ proxies, fault = null }: ProxiesOptions) {
  return async ({
    chance,
    onOutput,
    standby: hasStandby,
    railUrl,
    serviceToken,
    recordOf,
  }: StageContext): Promise<Front> => {
    const configFor = (instance: string): ProxyConfig => ({
      instance,
      railUrl,
      serviceToken,
      seed: chance.between(1, 2 ** 31),
      record: recordOf(instance),
      fault,
    });
    await using opened = new AsyncDisposableStack();
    const standby = opened.use(openStandby<ProxyConfig>({ program: PROXY, spares: hasStandby ? 2 : 0, onOutput }));
    const gateways = await Promise.all(
      Array.from({ length: proxies }, (_, index) => {
        const name = `gw-${index + 1}`;
        return openPost({ name, kind: "gateway" }, standby, () => configFor(name));
      }),
    );
    const parts = opened.move();
    return {
      gateways,
      routers: [],
      async statusOf({ url }) {
        const summary = await (await fetch(url(), { signal: AbortSignal.timeout(1000) })).text();
        const { phase, waiting, held, unconfirmed } = JSON.parse(summary);
        return { rests: phase === "live" && waiting + held + unconfirmed === 0, summary };
      },
      [Symbol.asyncDispose]: () => parts.disposeAsync(),
    };
  };
}

const PROXY = new URL("./children/proxy.ts", import.meta.url);
