/** The worker process: composes the parts, and shuts down on signals. */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { arch, homedir, platform } from "node:os";
import { resolve } from "node:path";
import { readConfig, tracingVariables } from "@triptych/config";
import { openTracing } from "@triptych/tracing";
import { Type } from "typebox";
import { ISOLATION_LEVELS } from "@triptych/contracts";
import { createBaselines } from "../phases/baselines.ts";
import { hostPrograms, programsInside, type Programs } from "../agents/find-program.ts";
import { openDependencyCache, type DependencyCache } from "../dependencies/dependency-cache.ts";
import type { DependencyTools } from "../dependencies/run-dependencies.ts";
import { createToolVersions } from "../dependencies/tool-versions.ts";
import { NO_AGENT, discoverAgents, type AvailableAgents, type OfferOptions } from "../agents/agent-registry.ts";
import { workOn, type WorkerTools } from "../session/do-run.ts";
import { createLicenseKey, keyIn, readKey } from "../connection/license-key.ts";
import { systemClock } from "../run/clock.ts";
import { traceWork } from "../session/trace-work.ts";
import { findLeftRuns } from "../session/run-folder.ts";
import { connectInThread } from "../connection/connection-worker.ts";
import { startWorker, type Ended, type Worker } from "../connection/worker.ts";
import type { ModelAccess } from "../sandbox/network.ts";
import type { VisibleSystem } from "../sandbox/rootfs-binds.ts";
import { createMirrors } from "../git/clone.ts";
import { openContainer, type ImageOptions } from "../sandbox/image/container.ts";
import { enforcementOf, refuseRootWithoutSandbox } from "../sandbox/enforcement.ts";
import { mendOf } from "../scouts/mend/mend.ts";
import { detectIsolation, type Isolation, type IsolationMode } from "../sandbox/isolation.ts";
import { publicAddressOf } from "../model-proxy/public-address.ts";
import { panelProxyFrom } from "../model-proxy/panel-proxy.ts";
import { proxyFrom } from "../model-proxy/upstream-proxy.ts";
import { providersOf } from "../model-proxy/providers.ts";
import { closeInheritedFiles } from "../process/inherited-files.ts";
import { endProcessesOf } from "../process/end-processes.ts";
import { openWorkFolder, type WorkFolder } from "./work-folder.ts";
import { certificatePaths } from "../process/network-environment.ts";

export interface WorkerSettings {
  readonly panel: string;
  readonly token: string | null;
  readonly tokenFile: string | null;
  readonly name: string;
  readonly slots: number;
  readonly workDir: string;
  readonly agents: readonly string[] | null;
  readonly named: ReadonlyMap<string, readonly string[]>;
  readonly isolation: Exclude<IsolationMode, "container">;
  /** If set, every run uses this image; the worker does not run without it. */
  readonly image: ImageOptions | null;
  /** Folders that a sandbox shows besides the system. */
  readonly exposed: readonly string[];
  /** Whether commands may run as root without a sandbox. */
  readonly mayBeRoot: boolean;
  /** Size limit of the dependency cache; 0 disables it. */
  readonly cacheBytes: number;
  readonly isOnce: boolean;
  readonly isEmbedded: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const PACKAGE: { readonly version: string } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
);
export const WORKER_VERSION = PACKAGE.version;
const MEBIBYTE = 1024 * 1024;
/** Time for runs to finish after the first signal. */
const DRAIN_MS = 10_000;
/** A signal to the process group arrives twice, so an early second signal is ignored. */
const SECOND_SIGNAL_MS = 1_000;

export async function runWorker(settings: WorkerSettings, log: (text: string) => void): Promise<number> {
  const tracingConfig = readConfig(Type.Object(tracingVariables()), settings.environment);
  closeInheritedFiles();
  const firstKey = await readLicenseKey(settings);
  const folder = await openWorkFolder(settings.workDir);
  // Ends agents that a killed worker left, because nothing reads their output.
  await endProcessesOf(folder.runs);
  const { agents: offers, isolation, system } = await setUpWorker(settings, folder, log);
  refuseRootWithoutSandbox(isolation, settings);
  for (const line of enforcementOf(isolation, process.getuid?.())) log(line);
  const models: ModelAccess = {
    providers: providersOf(settings.environment),
    addressOf: publicAddressOf,
    proxyFor: proxyFrom(settings.environment),
  };
  for (const note of offers.notes) log(note);
  const key = createLicenseKey(firstKey, settings.tokenFile);
  const { panel, environment } = settings;
  const dependencies = await dependenciesOf(settings, folder, { isolation, system });
  await using cache = dependencies?.cache ?? null;
  const proxyOf = panelProxyFrom(environment);
  const agents = offers.all.map((offer) => ({ ...offer, models: [...offer.models] }));
  if (offers.first === null) log(NO_AGENT);
  const tools: WorkerTools = {
    panel,
    mirrors: createMirrors(folder.mirrors, systemClock, proxyOf),
    baselines: createBaselines(folder.baselines, hostContextOf(environment, system)),
    dependencies,
    isolation: isolation.level,
    createSandbox: isolation.sandboxes(models),
    hostEnvironment: environment,
    secrets: key.secrets,
    clock: systemClock,
    now: () => new Date(),
    log,
  };
  await using tracing = await openTracing("worker", tracingConfig);
  const worker = startWorker({
    connect: (status, onEvent) =>
      connectInThread(
        {
          panel,
          proxy: proxyOf(panel),
          key: key.value,
          greeting: {
            name: settings.name,
            version: WORKER_VERSION,
            slots: settings.slots,
            isolation: isolation.level,
            os: platform(),
            agents,
            workerId: folder.workerId,
            process: randomUUID(),
            embedded: settings.isEmbedded,
            canCheck: !settings.isOnce,
          },
          status,
          folder: folder.path,
        },
        onEvent,
      ),
    key,
    slots: settings.slots,
    agents: offers,
    isolation: isolation.level,
    runs: folder.runs,
    left: await findLeftRuns(folder.runs),
    isOnce: settings.isOnce,
    diskFree: () => diskFree(folder.path),
    onNamed: (id) => void folder.keepWorkerId(id).catch(() => log("writing the worker id to disk failed")),
    tools,
    work: (assign, selection) => traceWork(tracing, assign, workOn(assign, selection, tools)),
  });
  // Awaited, because the last spans are sent after the last run.
  const settled = async () => cache?.settled();
  return await untilEnd(worker, { folder, log, settled, isEmbedded: settings.isEmbedded });
}

export async function readLicenseKey({ token, tokenFile }: WorkerSettings): Promise<string> {
  return token === null ? readKey(tokenFile ?? "") : keyIn(token, "--token or PANEL_TOKEN");
}

interface WorkerSetup {
  readonly agents: AvailableAgents;
  readonly isolation: Isolation;
  /** A fingerprint of the commands' environment: a change invalidates cached baselines. */
  readonly system: string;
}

/** A sandbox shows the agents of this machine; an image provides its own. */
async function setUpWorker(
  settings: WorkerSettings,
  folder: WorkFolder,
  log: (text: string) => void,
): Promise<WorkerSetup> {
  const { image, isolation: mode } = settings;
  if (image === null) {
    const agents = await discoverAgents(offerOptions(settings));
    const isolation = await detectIsolation(mode, machineOf(settings, agents));
    return { agents, isolation, system: isolation.level };
  }
  const machine = machineOf(settings, { folders: [] });
  const container = await openContainer(image, { folder: folder.path, machine, host: settings.environment, log });
  const agents = await discoverAgents({ ...offerOptions(settings), programs: programsOf(container, settings) });
  return { agents, isolation: container, system: `${container.level} ${container.imageId}` };
}

export function offerOptions({ named, agents: only, environment }: WorkerSettings): OfferOptions {
  const hasScripted = environment["NODE_ENV"] !== "production";
  return { named, only, hasScripted, mend: mendOf(environment), host: environment, wait: systemClock.wait };
}

export function programsOf({ sandboxes }: Isolation, { environment }: WorkerSettings): Programs {
  return programsInside(sandboxes({ providers: [], addressOf: publicAddressOf }), environment);
}

/** A sandbox hides the home of the worker's user and the worker's folder. */
export function machineOf(
  { environment, workDir, exposed }: WorkerSettings,
  { folders }: Pick<AvailableAgents, "folders">,
): VisibleSystem {
  const visible = [...folders, ...exposed, ...certificatePaths(environment)];
  return { path: environment["PATH"] ?? "/usr/bin:/bin", hidden: [homedir(), resolve(workDir)], exposed: visible };
}

export async function diskFree(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return Math.floor((bavail * bsize) / MEBIBYTE);
}

/** All that affects check results besides the repository. */
function hostContextOf(environment: WorkerSettings["environment"], isolation: WorkerSetup["system"]) {
  const { PATH, LANG, LC_ALL, TZ } = environment;
  return { PATH, LANG, LC_ALL, TZ, isolation, platform: platform(), arch: arch() };
}

/** The versions of an image's tools are part of the image. Entries are copied by GNU tools, so other systems have no cache. */
async function dependenciesOf(
  { cacheBytes, environment, image }: WorkerSettings,
  folder: WorkFolder,
  { isolation, system }: Pick<WorkerSetup, "isolation" | "system">,
): Promise<(DependencyTools & { readonly cache: DependencyCache }) | null> {
  if (cacheBytes === 0 || platform() !== "linux") return null;
  const isProtected = ISOLATION_LEVELS.indexOf(isolation.level) >= ISOLATION_LEVELS.indexOf("sandbox");
  const cache = await openDependencyCache({
    folder: folder.dependencies,
    bytesMax: cacheBytes,
    isProtected,
    now: () => Date.now(),
  });
  const versions = image === null ? createToolVersions(hostPrograms(environment)) : async () => ({});
  return { cache, isRead: true, versions, host: hostContextOf(environment, system) };
}

interface ShutdownParts {
  readonly folder: WorkFolder;
  readonly log: (text: string) => void;
  /** With `--once`, the next process needs the spare copies that this one makes. */
  readonly settled: () => Promise<void>;
  readonly isEmbedded: boolean;
}

async function untilEnd(worker: Worker, { folder, log, settled, isEmbedded }: ShutdownParts): Promise<number> {
  const stopping = new AbortController();
  let first: number | null = null;
  const onSignal = () => {
    const now = performance.now();
    if (first === null) {
      first = now;
      stopping.abort();
    } else if (now - first >= SECOND_SIGNAL_MS) {
      void endProcessesOf(folder.runs).finally(() => process.exit(1));
    }
  };
  process.on("SIGTERM", onSignal).on("SIGINT", onSignal);
  const parent = isEmbedded ? onOrphaned(onSignal) : undefined;
  const stopped = new Promise<null>((resolve) => stopping.signal.addEventListener("abort", () => resolve(null)));
  try {
    const ended: Ended | null = await Promise.race([worker.ended, stopped]);
    if (ended === null) {
      log("stopping: active runs have 10 s to finish, then they are returned to the panel");
      const waited = new AbortController();
      await Promise.race([worker.drain(), systemClock.wait(DRAIN_MS, waited.signal)]);
      waited.abort();
      await worker.stop();
      return 0;
    }
    if (ended.kind === "done") {
      await Promise.race([settled(), stopped]);
      return 0;
    }
    log(ended.why);
    // Same code as for an invalid configuration, because a restart by a supervisor would only end in the same way.
    return 2;
  } finally {
    clearInterval(parent);
    process.off("SIGTERM", onSignal).off("SIGINT", onSignal);
  }
}

const ORPHAN_CHECK_INTERVAL_MS = 500;

/** A worker that the panel started ends with the panel, because the next panel starts its own. */
function onOrphaned(then: () => void): NodeJS.Timeout {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    then();
  }, ORPHAN_CHECK_INTERVAL_MS);
  return timer.unref();
}
