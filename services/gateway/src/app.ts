import {
  createHead,
  DECISION_PRICE_MICRO,
  errorMember,
  GATEWAY_HEADERS,
  gatewayContract,
  getHealth,
  getPricing,
  isSold,
  type Endpoint,
} from "@triptych/contracts";
import { createServer, mountPlayground, type ConnectionLimits, type Server } from "@triptych/server";
import type { Tracing } from "@triptych/tracing";
import type { Logger } from "pino";
import type { RailFacts, DecisionBilling } from "./domain/billing.ts";
import type { Routers } from "./domain/routers.ts";
import type { ConcurrencyLimiter } from "./domain/concurrency-limiter.ts";
import type { Caller } from "./http/caller.ts";
import { decisionHandler, type DecisionDeps } from "./http/decisions.ts";
import { createPaymentErrors, storeUnavailable } from "./http/payment-errors.ts";
import { createHeadHandler } from "./http/heads.ts";
import { createAuthenticate, type AuthDeps } from "./http/identify.ts";
import { healthHandler, pricingHandler } from "./http/information.ts";
import { proxyHandler } from "./http/proxy-handler.ts";
import { gatewayHome } from "./pages/home.ts";
import packageFile from "../package.json" with { type: "json" };

export interface AppParts
  extends Pick<AuthDeps, "walletHashOf" | "limitFields">, Pick<DecisionDeps, "watchDelivery" | "onSale"> {
  readonly logger: Logger;
  readonly tracing?: Tracing | null;
  readonly publicUrl: string | undefined;
  readonly railUrl: string;
  readonly routerUrl: string;
  readonly decisionBilling: DecisionBilling;
  readonly traffic: ConcurrencyLimiter;
  readonly routers: Routers;
  readonly rail: RailFacts;
  readonly connections?: ConnectionLimits;
  /** Folder of the built playground. */
  readonly playgroundFolder?: Promise<string | null>;
  readonly viewerFolder?: Promise<string | null> | undefined;
  readonly readiness: () => Promise<string | null>;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
  readonly showMetrics: (registry: Server<Caller>["metrics"]["registry"]) => void;
}

export async function createApp(parts: AppParts): Promise<Server<Caller>> {
  const { railUrl, traffic, routers, rail } = parts;
  let server: Server<Caller> | null = null;
  const url = () => server?.url() ?? "";
  const denials = createPaymentErrors({ url, railUrl });
  server = await createServer<Caller>({
    contract: gatewayContract,
    logger: parts.logger,
    tracing: parts.tracing,
    publicUrl: parts.publicUrl,
    identify: createAuthenticate({ ...parts, denials }),
    readiness: parts.readiness,
    headers: { "Cache-Control": "no-store", ...parts.limitFields({ remaining: traffic.perMinute, resetSeconds: 0 }) },
    cors: { exposedHeaders: GATEWAY_HEADERS },
    translate: storeUnavailable,
    problemMembers: (body) => ({ error: errorMember(body) }),
    home: gatewayHome(railUrl),
    viewerFolder: parts.viewerFolder,
    ...(parts.connections && { connections: parts.connections }),
    ofProcess: true,
  });
  parts.showMetrics(server.metrics.registry);

  const { perMinute, perWallet } = traffic;
  server.mount(getHealth, healthHandler({ ...parts, version: packageFile.version }));
  server.mount(getPricing, pricingHandler({ rail, railUrl, perMinute, perWallet }));
  for (const endpoint of gatewayContract.endpoints.filter(isAuthenticated)) {
    const mounted = { ...endpoint, customValidation: true } as const;
    if (isSold(endpoint)) server.mount(mounted, decisionHandler({ ...parts, denials }, endpoint));
    else if (endpoint.id === createHead.id)
      server.mount(mounted, createHeadHandler({ routers, url, rail, denials }, endpoint));
    else server.mount(mounted, proxyHandler({ routers, url }, endpoint));
  }
  mountPlayground(server, {
    title: gatewayContract.title,
    paid: { rail: railUrl, price_micro: DECISION_PRICE_MICRO },
    folder: parts.playgroundFolder,
  });
  return server;
}

/** The gateway authenticates these endpoints; the router validates their bodies. */
function isAuthenticated(endpoint: Endpoint): endpoint is Endpoint & { readonly auth: string } {
  return endpoint.auth !== null;
}
