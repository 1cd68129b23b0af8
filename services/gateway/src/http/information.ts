import { MODEL } from "@triptych/contracts";
import type { FastifyReply } from "fastify";
import { pricingBody } from "../domain/pricing.ts";
import type { RailFacts } from "../domain/billing.ts";
import type { Routers } from "../domain/routers.ts";
import { railUnavailable } from "./payment-errors.ts";

export interface HealthFacts {
  readonly routers: Pick<Routers, "status">;
  readonly rail: Pick<RailFacts, "isHealthy">;
  readonly routerUrl: string;
  readonly version: string;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
}

const DEGRADED = 503;

/** Requires a router for decisions, and the rail for payments. */
export function healthHandler({ routers, rail, routerUrl, version, clock }: HealthFacts) {
  const startedAt = clock();
  return async ({ reply }: { readonly reply: FastifyReply }) => {
    const router = routers.status();
    const isRailHealthy = await rail.isHealthy();
    const isHealthy = router.isHealthy && isRailHealthy;
    if (!isHealthy) reply.code(DEGRADED).header("Retry-After", "1");
    return {
      status: statusOf(isHealthy),
      version,
      uptime_s: (clock() - startedAt) / 1000,
      model: router.model ?? MODEL,
      trunk: router.trunk ?? "unknown",
      experts: router.experts ?? 0,
      router: { status: statusOf(router.isHealthy), url: routerUrl, latency_ms: router.latencyMs },
      rail: { status: statusOf(isRailHealthy) },
    };
  };
}

function statusOf(isHealthy: boolean): "ok" | "degraded" {
  return isHealthy ? "ok" : "degraded";
}

export interface PricingFacts {
  readonly rail: Pick<RailFacts, "terms">;
  readonly railUrl: string;
  readonly perMinute: number;
  readonly perWallet: number;
}

export function pricingHandler({ rail, ...facts }: PricingFacts) {
  return async () => {
    const terms = await rail.terms();
    if (terms === null) throw railUnavailable();
    return pricingBody({ ...facts, terms });
  };
}
