/** `triptych start`: starts services in one process, prints their addresses, and stops them together. */
import { fileURLToPath } from "node:url";
import { ConfigError } from "@triptych/config";
import { renderTable, widthOf } from "@triptych/terminal";
import { builtWebSite } from "@triptych/web/build";
import { workerPack } from "./worker-pack.ts";
import { loadServices, SERVICE_NAMES, type RunningService, type Service, type ServiceName } from "./services.ts";

/** The command of `triptych worker`, for a panel that starts one. */
const WORKER = [
  process.execPath,
  ...process.execArgv,
  fileURLToPath(new URL("../../../start.mjs", import.meta.url)),
  "worker",
];

export async function start(names: readonly ServiceName[], environment: NodeJS.ProcessEnv): Promise<void> {
  const requested = await loadServices(SERVICE_NAMES.filter((name) => names.length === 0 || names.includes(name)));
  // Report all issues before the first service opens a store.
  const issues = new Set(requested.flatMap(({ issuesOf }) => issuesOf(environment)));
  if (issues.size > 0) throw new ConfigError([...issues]);
  const refusals = new Map(requested.map((service) => [service, service.refusalOf?.(environment) ?? null]));
  const reasons = [...refusals.values()].filter((reason) => reason !== null);
  if (names.length > 0 && reasons.length > 0) throw new ConfigError(reasons);
  // A service that the user named must start. Without names, the services that can start do.
  const chosen = requested.filter((service) => names.length > 0 || refusals.get(service) === null);
  const running = new Map<Service, RunningService>();
  // Builds the pages, if needed, while the services start.
  const pageOf = (names: readonly string[], build: () => Promise<string>) =>
    chosen.some(({ name }) => names.includes(name)) ? build().catch(reportBuildError) : Promise.resolve(null);
  const dashboardFolder = pageOf(["panel"], () => builtWebSite("dashboard"));
  const mapFolder = pageOf(["directory"], () => builtWebSite("map"));
  const playgroundFolder = pageOf(["router", "gateway"], () => builtWebSite("playground"));
  const walletFolder = pageOf(["rail"], () => builtWebSite("wallet"));
  const viewerFolder = builtWebSite("reference").catch(reportBuildError);
  const pages = { dashboardFolder, mapFolder, playgroundFolder, viewerFolder, walletFolder };
  const context = { ...pages, workerProgram: WORKER, workerPack, hasTerminal: process.stderr.isTTY };
  // In reverse order: the gateway's last messages must reach the rail.
  const stopAll = async () => {
    for (const service of [...running.values()].reverse()) await service.stop();
  };

  // Register signal handlers first: a stop during startup must not leave some services running.
  const stopped = untilSignal(stopAll);
  if (environment["npm_lifecycle_event"] !== undefined) stopWhenOrphaned();
  try {
    for (const service of chosen)
      running.set(service, await service.start({ ...addressesOf(running), ...environment }, context));
  } catch (error) {
    await stopAll();
    throw error;
  }
  const refused = [...refusals].flatMap(([service, reason]) =>
    running.has(service) || reason === null ? [] : [`Not started: ${service.name}. ${reason}`],
  );
  const notes = [...[...running.values()].flatMap((service) => service.notes ?? []), ...refused].map(
    (note) => `  ${note}\n`,
  );
  process.stderr.write(`\n${table(running)}\n\n${notes.join("")}`);
  await stopped;
}

/** A service works without its page and links to the other pages. */
function reportBuildError(error: unknown): null {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  return null;
}

/**
 * Addresses of the running services, so that later ones find them on any port. Addresses in the environment take
 * precedence.
 */
function addressesOf(running: ReadonlyMap<Service, RunningService>): NodeJS.ProcessEnv {
  return Object.fromEntries([...running].map(([{ name }, { url }]) => [`${name.toUpperCase()}_URL`, url]));
}

/** Repeated signals within a second are ignored: a signal to the process group arrives twice. */
const SECOND_SIGNAL_MS = 1000;

function untilSignal(stopAll: () => Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    let first: number | null = null;
    const onSignal = () => {
      const now = performance.now();
      if (first === null) {
        first = now;
        stopAll().then(
          () => finish(0),
          () => finish(1),
        );
      } else if (now - first >= SECOND_SIGNAL_MS) {
        process.exit(1);
      }
    };
    const finish = (code: number) => {
      process.exitCode = code;
      process.off("SIGTERM", onSignal).off("SIGINT", onSignal);
      resolve();
      // All work is complete, but a terminal or a keep-alive socket may keep the event loop alive.
      setTimeout(() => process.exit(code), 500).unref();
    };
    process.on("SIGTERM", onSignal).on("SIGINT", onSignal);
  });
}

const ORPHAN_CHECK_INTERVAL_MS = 500;

/** npm forwards a signal only to its shell, which exits: stop when the shell is gone. */
function stopWhenOrphaned(): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  }, ORPHAN_CHECK_INTERVAL_MS);
  timer.unref();
}

function table(running: ReadonlyMap<Service, RunningService>): string {
  const rows = [...running].map(([service, { url, tryFirst }]) => [service.name, url, tryFirst]);
  const text = renderTable({ heads: ["service", "address", "try first"], rows }, widthOf(process.stderr));
  return text.replaceAll(/^/gm, "  ");
}
