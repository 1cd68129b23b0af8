/** Starts the gateways and routers of the campaign, each in its own process. */
import { findPort, openPost, openStandby, type Front, type StageContext } from "@triptych/rail/chaos";
import type { GatewayLaunch } from "./children/gateway.ts";
import type { InjectedFault } from "./faulty-connection.ts";

export interface GatewaysOptions {
  readonly gateways: number;
  readonly routers: number;
  /** The fault to inject into each gateway. */
  readonly fault?: InjectedFault | null;
}

const GATEWAY = new URL("./children/gateway.ts", import.meta.url);
const ROUTER = new URL("./children/router.ts", import.meta.url);
const ANSWERS_WITHIN_MS = 1000;

export function openGateways({ gateways, routers, fault = null }: GatewaysOptions) {
  return async (stage: StageContext): Promise<Front> => {
    const { onOutput, dataFolder, databaseUrl, standby, secret, railUrl, recordOf } = stage;
    const shared = {
      TRIPTYCH_DATA: dataFolder,
      TRIPTYCH_SECRET: secret,
      ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
    };
    await using opened = new AsyncDisposableStack();
    const nextRouter = opened.use(
      openStandby<Readonly<Record<string, string>>>({ program: ROUTER, spares: standby ? 1 : 0, onOutput }),
    );
    const nextGateway = opened.use(
      openStandby<GatewayLaunch>({ program: GATEWAY, spares: standby ? gateways : 0, onOutput }),
    );
    const behind = await Promise.all(
      Array.from({ length: routers }, async (_, index) => {
        const environment = { ...shared, ROUTER_PORT: String(await findPort()) };
        return openPost({ name: `router-${index + 1}`, kind: "router" }, nextRouter, () => environment);
      }),
    );
    const environment = {
      ...shared,
      GATEWAY_PORT: "0",
      RAIL_URL: railUrl,
      ROUTER_URL: behind.map(({ url }) => url())[0] ?? "",
      ROUTER_INTERNAL_URL: behind.map(({ url }) => url()).join(","),
      GATEWAY_RATE: "10000000",
    };
    const posts = await Promise.all(
      Array.from({ length: gateways }, (_, index) => {
        const name = `gw-${index + 1}`;
        const launch = {
          environment: { ...environment, GATEWAY_INSTANCE: name },
          record: recordOf(name),
          fault,
        };
        return openPost({ name, kind: "gateway" }, nextGateway, () => launch);
      }),
    );
    const parts = opened.move();
    return {
      gateways: posts,
      routers: behind,
      statusOf: ({ url }) => statusOf(url()),
      [Symbol.asyncDispose]: () => parts.disposeAsync(),
    };
  };
}

/** Reads the public state of a gateway: readiness and open charges. */
async function statusOf(url: string) {
  const signal = () => AbortSignal.timeout(ANSWERS_WITHIN_MS);
  const ready = await fetch(`${url}/readyz`, { signal: signal() });
  await ready.arrayBuffer();
  const metrics = await (await fetch(`${url}/metrics`, { signal: signal() })).text();
  const open = metrics.split("\n").filter((line) => line.startsWith("gateway_charges{"));
  const rests = ready.ok && open.length === STATES && open.every((line) => line.endsWith(" 0"));
  return { rests, summary: `ready ${ready.status}, ${open.join(", ")}` };
}

/** States of a charge: waiting, held, unconfirmed. */
const STATES = 3;
