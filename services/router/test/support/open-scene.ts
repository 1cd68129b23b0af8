/** A router on small trained files, asked without a socket; what it logs and counts is kept. */
import { createLogger } from "@triptych/server";
import type { ShippedArtifacts } from "@triptych/decisions";
import { createAccess } from "../../src/access.ts";
import { createApp } from "../../src/app.ts";
import type { Expert } from "../../src/domain/experts.ts";
import type { Router } from "../../src/domain/router.ts";
import { createRouterMetrics } from "../../src/metrics.ts";
import { routerOn } from "../../src/service.ts";
import { smallArtifacts } from "./small-artifacts.ts";

export const SERVICE_TOKEN = "rail_svc_00000000000000000000000000_0000000";

export interface SceneOptions {
  readonly artifacts?: ShippedArtifacts;
  readonly routerToken?: string;
  readonly rate?: number;
  /** Heads of the owner of each call, beside the shipped ones. */
  readonly custom?: readonly Expert[];
  /** Milliseconds since the epoch; an own clock that stands still when absent. */
  readonly now?: () => number;
}

export interface Asking {
  readonly method?: "GET" | "POST" | "HEAD" | "PUT" | "OPTIONS" | "DELETE";
  /** Sent as JSON; a string is sent as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function openScene(options: SceneOptions = {}) {
  const lines: string[] = [];
  const logger = createLogger({
    service: "router",
    level: "debug",
    destination: { write: (line) => lines.push(line) },
  });
  const metrics = createRouterMetrics();
  const router = withCustom(routerOn(options.artifacts ?? smallArtifacts(), metrics), options.custom ?? []);
  const rate = options.rate ?? null;
  const access = createAccess({
    routerToken: options.routerToken ?? null,
    serviceToken: SERVICE_TOKEN,
    rate,
    now: options.now ?? (() => 0),
  });
  const parts = { logger, publicUrl: "http://router.test", access, rate, showMetrics: metrics.showIn };
  const server = await createApp(parts, router);

  return {
    router,
    server,
    lines,
    ask(url: string, { method, body, headers = {} }: Asking = {}) {
      return server.fastify.inject({
        url,
        method: method ?? (body === undefined ? "GET" : "POST"),
        headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
        ...(body !== undefined && { payload: typeof body === "string" ? body : JSON.stringify(body) }),
      });
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
}

export type Scene = Awaited<ReturnType<typeof openScene>>;

/** Heads of the owner `acme`; nobody else sees them. */
function withCustom(router: Router, custom: readonly Expert[]): Router {
  const { experts } = router;
  const ofOwner = (owner: string) => (owner === "acme" ? custom : []);
  return {
    ...router,
    experts: {
      reference: experts.reference,
      async find(owner, name) {
        return ofOwner(owner).find((one) => one.name === name || one.headId === name) ?? experts.find(owner, name);
      },
      async inPlay(owner) {
        return [...(await experts.inPlay(owner)), ...ofOwner(owner).filter(({ auto }) => auto)];
      },
      async list(owner) {
        return [...(await experts.list(owner)), ...ofOwner(owner)];
      },
    },
  };
}
