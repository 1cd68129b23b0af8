/** The panel as a service: what it is made of, in the order in which it is put together and taken apart. */
import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { panelContract } from "@triptych/contracts";
import { createLogger, installationSecret, openApiText, readConfig } from "@triptych/server";
import type { Command } from "commander";
import type { AppParts } from "./app.ts";
import { createApp } from "./app.ts";
import { panelCommands } from "./commands/panel-commands.ts";
import { PanelConfig } from "./config.ts";
import { NOBODY_CONNECTED } from "./domain/panel.ts";
import { deriveKey } from "./domain/seal.ts";
import { makeDemoAccounts, writePanelCredentials } from "./first-start.ts";
import { openPanel } from "./open-panel.ts";
import { holdPlace, openPlace } from "./store/open-place.ts";

export interface RunningPanel {
  readonly url: string;
  readonly tryFirst: string;
  stop(): Promise<void>;
}

/** Opens the store and what works beside the requests, then listens. Whatever was opened is closed again when a step fails. */
export async function start(environment: Readonly<Record<string, string | undefined>>): Promise<RunningPanel> {
  const config = readConfig(PanelConfig, environment);
  const isProduction = config.NODE_ENV === "production";
  const logger = createLogger({ service: "panel", level: config.LOG_LEVEL });
  const dataFolder = resolve(config.TRIPTYCH_DATA);
  await mkdir(dataFolder, { recursive: true, mode: 0o700 });
  const secret = await installationSecret({ secret: config.TRIPTYCH_SECRET, dataFolder, isProduction });

  await using opened = new AsyncDisposableStack();
  const place = { dataFolder, databaseUrl: config.DATABASE_URL };
  opened.use(await holdPlace(place));
  const store = opened.use(await openPlace(place));
  const about = openPanel({ config, store, secret, workers: NOBODY_CONNECTED });
  const demo = isProduction ? null : await makeDemoAccounts(dataFolder, about);

  const app = await createApp({ ...appParts(config, secret), logger }, about);
  opened.adopt(app, (one) => one.stop());
  const url = await app.listen({ host: config.HOST, port: config.PANEL_PORT });
  if (demo !== null) await writePanelCredentials(dataFolder, url, demo);
  const parts = opened.move();
  let stopping: Promise<void> | null = null;
  return { url, tryFirst: `${url}/docs`, stop: () => (stopping ??= parts.disposeAsync()) };
}

function appParts(config: PanelConfig, secret: string): Omit<AppParts, "logger"> {
  const trustedProxies = config.TRUSTED_PROXIES?.split(",");
  return {
    publicUrl: config.PANEL_URL,
    csrfKey: deriveKey(secret, "panel csrf"),
    rates: { all: config.PANEL_RATE_ALL, runs: config.PANEL_RATE_RUNS, license: config.PANEL_RATE_LICENSE },
    loginFailures: config.PANEL_RATE_LOGIN,
    ...(trustedProxies !== undefined && { trustedProxies }),
  };
}

/** Its words on the command line, for the process that runs them. */
export function commands(): Command {
  const { env: environment, stdin, stdout, stderr } = process;
  return panelCommands({ environment, stdin, stdout, stderr });
}

export { copyPanel as copyStore } from "./store/copy-panel.ts";

/** The OpenAPI document as it is committed, with the default address. */
export function openApi(): string {
  return openApiText(panelContract, { url: "http://127.0.0.1:7001" });
}
