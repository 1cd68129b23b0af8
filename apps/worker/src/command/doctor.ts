/** `triptych worker doctor`: checks the requirements of a run and reports what is missing. */
import { execFile } from "node:child_process";
import { mkdir, realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { renderTable, textWidth, wrapText } from "@triptych/terminal";
import { discoverAgents } from "../agents/agent-registry.ts";
import { inspectContainer } from "../sandbox/image/container.ts";
import { detectIsolation } from "../sandbox/isolation.ts";
import { panelFetch, panelProxyFrom } from "../model-proxy/panel-proxy.ts";
import { diskFree, readLicenseKey, machineOf, offerOptions, programsOf, type WorkerSettings } from "./run-worker.ts";

export interface Finding {
  readonly what: string;
  readonly isOk: boolean;
  readonly message: string;
}

export interface Examination {
  readonly findings: readonly Finding[];
  readonly isOk: boolean;
}

const PANEL_MS = 5_000;
const MESSAGE_MIN_WIDTH = 20;
const DISK_MIN_MB = 512;

export async function examine(settings: WorkerSettings): Promise<Examination> {
  const findings = await Promise.all([
    runCheck("agents", () => agents(settings)),
    runCheck("git", git),
    runCheck("isolation", () => isolation(settings)),
    runCheck("disk", () => disk(settings.workDir)),
    runCheck("key", () => keyOf(settings)),
    runCheck("panel", () => reach(settings)),
  ]);
  return { findings, isOk: findings.every(({ isOk }) => isOk) };
}

/** A failed check throws its message. */
async function runCheck(what: string, check: () => Promise<string>): Promise<Finding> {
  try {
    return { what, isOk: true, message: await check() };
  } catch (error) {
    return { what, isOk: false, message: error instanceof Error ? error.message : String(error) };
  }
}

async function agents(settings: WorkerSettings): Promise<string> {
  const container = settings.image === null ? null : (await inspectImage(settings)).container;
  if (settings.image !== null && container === null) return "unknown until a worker has unpacked the image";
  const programs = container === null ? {} : { programs: programsOf(container, settings) };
  const { all, notes } = await discoverAgents({ ...offerOptions(settings), ...programs });
  return [all.map(({ cli, version }) => `${cli} ${version}`).join(", "), ...notes].join("; ");
}

/** A worker without a sandbox still serves orders of a lower isolation level. */
async function isolation(settings: WorkerSettings): Promise<string> {
  if (settings.image !== null) return container(settings);
  const { level, lacks, samplingReason } = await detectIsolation(
    settings.isolation,
    machineOf(settings, { folders: [] }),
  );
  if (lacks !== null) return `${level}, no sandbox: ${lacks}`;
  return level === "sandbox" ? `${level}; ${limitsOf(samplingReason)}` : level;
}

function limitsOf(samplingReason: string | null): string {
  if (samplingReason === null) return "the kernel limits memory and processes of each run";
  return `memory and processes of each run are sampled four times a second: ${samplingReason}`;
}

async function container(settings: WorkerSettings): Promise<string> {
  const { engine, image, container } = await inspectImage(settings);
  const message = `container: ${image.reference} (${image.id.slice(0, 12)}), read by ${engine}`;
  if (container === null) return `${message}; a worker unpacks and tests it at startup`;
  return `${message}; unpacked; ${limitsOf(container.samplingReason)}`;
}

async function inspectImage(settings: WorkerSettings) {
  const { image, workDir, environment } = settings;
  if (image === null) throw new Error("no image is configured");
  const folder = await realpath(workDir).catch(() => resolve(workDir));
  const machine = machineOf(settings, { folders: [] });
  return inspectContainer(image, { folder, machine, host: environment, log: () => {} });
}

async function git(): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)("git", ["--version"]);
    return stdout.trim();
  } catch {
    throw new Error("git is not installed, or not in PATH; it is required for cloning");
  }
}

async function disk(workDir: string): Promise<string> {
  await mkdir(workDir, { recursive: true, mode: 0o700 });
  const free = await diskFree(workDir);
  const message = `${free} MB free in ${workDir}`;
  if (free < DISK_MIN_MB) throw new Error(`${message}; at least ${DISK_MIN_MB} MB are required`);
  return message;
}

async function keyOf(settings: WorkerSettings): Promise<string> {
  const { token, tokenFile } = settings;
  if (token === null && tokenFile === null) throw new Error("none: set PANEL_TOKEN or pass --token-file");
  await readLicenseKey(settings);
  return token === null ? `in ${tokenFile}` : "given";
}

async function reach({ panel, environment }: WorkerSettings): Promise<string> {
  const proxy = panelProxyFrom(environment)(panel);
  const startedAt = performance.now();
  try {
    const { status } = await panelFetch(proxy)(new URL("/livez", panel), { signal: AbortSignal.timeout(PANEL_MS) });
    if (status === 200)
      return `${panel} responded in ${Math.round(performance.now() - startedAt)} ms${proxy === null ? "" : " through a proxy"}`;
    throw new Error(`unexpected status ${status}`);
  } catch (error) {
    const why = error instanceof Error && error.message.startsWith("unexpected status") ? error.message : "no response";
    throw new Error(`${panel}: ${why}`, { cause: error });
  }
}

/** Long text wraps in its column. */
export function tableOf(findings: readonly Finding[], width: number): string {
  const first = Math.max(...findings.map(({ what }) => textWidth(what)));
  const columnWidth = Math.max(MESSAGE_MIN_WIDTH, width - first - "missing".length - 4);
  const rows = findings.flatMap(({ what, isOk, message }) =>
    wrapText(message, columnWidth).map((line, index) =>
      index === 0 ? [what, isOk ? "ok" : "missing", line] : ["", "", line],
    ),
  );
  return renderTable({ heads: ["check", "state", "message"], rows }, width);
}
