import { MODEL } from "@triptych/contracts";
import type { FastifyReply } from "fastify";
import { expertsBody, modelsBody, pricingBody } from "../domain/information.ts";
import { LOCAL_OWNER } from "../domain/experts.ts";
import type { Router } from "../domain/router.ts";
import type { Caller } from "./identify.ts";

interface Asking {
  readonly caller: Caller;
}

export function listExpertsHandler({ experts }: Router) {
  return async ({ caller }: Asking) => expertsBody(await experts.list(caller.owner));
}

export function listModelsHandler({ experts }: Router) {
  return async ({ caller }: Asking) => modelsBody(await experts.list(caller.owner));
}

export function pricingHandler(rate: number | null) {
  const body = pricingBody(rate);
  return () => body;
}

export interface HealthFacts {
  readonly version: string;
  readonly startedAt: number;
}

const DEGRADED = 503;

/** Decides a fixed text on each call, so a probe costs as much as a decision. */
export function healthHandler(router: Router, { version, startedAt }: HealthFacts) {
  return async ({ reply }: { readonly reply: FastifyReply }) => {
    const isWell = router.probe();
    if (!isWell) reply.code(DEGRADED).header("Retry-After", "1");
    const shipped = (await router.experts.list(LOCAL_OWNER)).filter(({ kind }) => kind === "shipped");
    return {
      status: isWell ? "ok" : "degraded",
      version,
      uptime_s: (router.clock() - startedAt) / 1000,
      model: MODEL,
      trunk: `sha256:${router.assessor.engine.trunk}`,
      experts: shipped.length,
    };
  };
}
