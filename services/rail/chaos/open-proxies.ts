/** The front of the rail's own campaign: gateways that decide nothing of worth, and bill it as any gateway does. */
import type { ProxyFault } from "../test/sim/paying-proxy.ts";
import type { ProxyOrder } from "./children/proxy.ts";
import { openPost } from "./post.ts";
import type { Front, Ground } from "./stage.ts";
import { openStandby } from "./standby.ts";

export interface ProxiesOptions {
  readonly proxies: number;
  readonly fault?: ProxyFault | null;
}

export function openProxies({ proxies, fault = null }: ProxiesOptions) {
  return async ({ chance, onOutput, standby: hasStandby, railUrl, serviceToken, recordOf }: Ground): Promise<Front> => {
    const order = (instance: string): ProxyOrder => ({
      instance,
      railUrl,
      serviceToken,
      seed: chance.between(1, 2 ** 31),
      record: recordOf(instance),
      fault,
    });
    await using opened = new AsyncDisposableStack();
    const standby = opened.use(openStandby<ProxyOrder>({ program: PROXY, spares: hasStandby ? 2 : 0, onOutput }));
    const gateways = await Promise.all(
      Array.from({ length: proxies }, (_, place) => {
        const name = `gw-${place + 1}`;
        return openPost({ name, kind: "gateway" }, standby, () => order(name));
      }),
    );
    const parts = opened.move();
    return {
      gateways,
      routers: [],
      async standingOf({ url }) {
        const said = await (await fetch(url(), { signal: AbortSignal.timeout(1000) })).text();
        const { phase, waiting, held, unconfirmed } = JSON.parse(said);
        return { rests: phase === "live" && waiting + held + unconfirmed === 0, said };
      },
      [Symbol.asyncDispose]: () => parts.disposeAsync(),
    };
  };
}

const PROXY = new URL("./children/proxy.ts", import.meta.url);
