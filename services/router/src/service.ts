/** The router as a service: what it is made of, in the order in which it is put together and taken apart. */
import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { answersProbe, openShippedArtifacts, type ShippedArtifacts } from "@triptych/decisions";
import { createLogger, openApiText, readConfig } from "@triptych/server";
import type { Command } from "commander";
import { createAccess } from "./access.ts";
import { createApp } from "./app.ts";
import { routerCommands } from "./commands/router-commands.ts";
import { RouterConfig } from "./config.ts";
import { routerContract } from "./contract.ts";
import type { Router } from "./domain/router.ts";
import { createThresholds } from "./domain/thresholds.ts";
import { engineOf } from "./engine/engine-of.ts";
import { expertsOfRelease } from "./engine/shipped-experts.ts";
import { serviceToken, writeRouterCredentials } from "./first-start.ts";
import { createRouterMetrics } from "./metrics.ts";

export interface RunningRouter {
  readonly url: string;
  readonly tryFirst: string;
  stop(): Promise<void>;
}

/** Opens the trained files, then listens. Nothing of a network is touched but the socket that it listens on. */
export async function start(environment: Readonly<Record<string, string | undefined>>): Promise<RunningRouter> {
  const config = readConfig(RouterConfig, environment);
  const logger = createLogger({ service: "router", level: config.LOG_LEVEL });
  const dataFolder = resolve(config.TRIPTYCH_DATA);
  await mkdir(dataFolder, { recursive: true, mode: 0o700 });

  const metrics = createRouterMetrics();
  const router = routerOn(openShippedArtifacts(), metrics);
  // The first decisions of a program are its slowest: they are made before anybody waits for one.
  if (!router.probe()) logger.error(WRONG_NUMBERS);
  const rate = config.ROUTER_RATE ?? null;
  const access = createAccess({
    routerToken: config.ROUTER_TOKEN ?? null,
    serviceToken: config.ROUTER_SERVICE_TOKEN ?? (await serviceToken(dataFolder, randomBytes)),
    rate,
    now: Date.now,
  });
  const parts = { logger, publicUrl: config.ROUTER_URL, access, rate, showMetrics: metrics.showIn };
  const server = await createApp(parts, router);
  const url = await server.listen({ host: config.HOST, port: config.ROUTER_PORT });
  if (config.NODE_ENV !== "production") await writeRouterCredentials(dataFolder, url);
  return { url, tryFirst: `${url}/`, stop: () => server.stop() };
}

const WRONG_NUMBERS =
  "The engine does not decide as it did where it was released: /health answers 503. `triptych router verify` says more.";

export function routerOn(artifacts: ShippedArtifacts, { observe }: Pick<Router, "observe">): Router {
  const engine = engineOf(artifacts);
  const experts = expertsOfRelease(artifacts.experts);
  return {
    assessor: { engine, thresholds: createThresholds(engine.thresholdFor), reference: experts.reference },
    experts,
    clock: () => performance.now(),
    probe: () => answersProbe(artifacts, artifacts.probe),
    observe,
  };
}

/** Its words on the command line, for the process that runs them. */
export function commands(): Command {
  return routerCommands(process.stdout);
}

/** It remembers nothing that could be copied. */
export function copyStore(): Promise<readonly never[]> {
  return Promise.resolve([]);
}

/** The OpenAPI document as it is committed, with the default address. */
export function openApi(): string {
  return openApiText(routerContract, { url: "http://127.0.0.1:7004" });
}
