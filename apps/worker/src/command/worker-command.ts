/** `triptych worker`: a process on the customer's machine that takes runs from a panel. */
import { hostname } from "node:os";
import { join } from "node:path";
import { ConfigError, configIssues } from "@triptych/config";
import { addJsonOption, printResult, widthOf } from "@triptych/terminal";
import { Command, InvalidArgumentError, Option } from "commander";
import { ISOLATION_MODES, type IsolationMode } from "../sandbox/isolation.ts";
import { CACHE_GB, WorkerConfig } from "./config.ts";
import { runWorker } from "./run-worker.ts";
import { examine, tableOf } from "./doctor.ts";

const PANEL_HERE = "http://127.0.0.1:7001";

export type HostEnvironment = Readonly<Record<string, string | undefined>>;

interface Options {
  readonly panel: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly name: string;
  readonly slots: number;
  readonly workDir?: string;
  readonly agents?: readonly string[];
  readonly agent?: ReadonlyMap<string, readonly string[]>;
  readonly isolation: IsolationMode;
  readonly image?: string;
  readonly engine?: readonly string[];
  readonly mountRo: readonly string[];
  readonly allowRoot: boolean;
  readonly cache: boolean;
  readonly once: boolean;
  readonly embedded: boolean;
}

export function workerCommand(environment: HostEnvironment): Command {
  const worker = new Command("worker")
    .description("run a worker: claim runs from a panel and execute them")
    .exitOverride()
    .addHelpText("after", HELP)
    .addOption(
      new Option("--panel <url>", "address of the panel")
        .argParser(readAddress)
        .default(environment["PANEL_URL"] || PANEL_HERE, `PANEL_URL, else ${PANEL_HERE}`),
    )
    .option("--token <key>", "license key (visible to all users in the process list)")
    .option("--token-file <path>", "file with the license key, mode 0600; a rotated key is written to it")
    .addOption(
      new Option("--name <name>", "name in the panel")
        .argParser(readName)
        .default(hostname().slice(0, 100), "the host name"),
    )
    .option("--slots <count>", "number of concurrent runs", readSlots, 2)
    .option("--work-dir <path>", "folder for clones and runs (default: worker/<name> in TRIPTYCH_DATA)")
    .option("--agents <names>", "offer only these agents (comma-separated)", readNames)
    .option("--agent <name=argv>", "register an agent command under a name (repeatable)", readAgent)
    .addOption(new Option("--isolation <level>", "minimum isolation level").choices(ISOLATION_MODES).default("auto"))
    .option("--image <reference>", "image for every run; implies isolation `container`", readImage)
    .option("--engine <command>", "command that reads the image: podman or docker, with options", readEngine)
    .option("--mount-ro <path>", "mount a folder read-only in the sandbox (repeatable)", readFolder, [])
    .option("--allow-root", "allow running as root without a sandbox (or WORKER_ALLOW_ROOT=1)", false)
    .option("--no-cache", "install the dependencies of a repository in every run (or WORKER_CACHE_GB=0)")
    .option("--once", "exit after one run", false)
    .addOption(new Option("--embedded", "exit with the panel that started this worker").default(false).hideHelp())
    .action(async () => {
      process.exitCode = await runWorker(settingsOf(worker, environment), createLog());
    });
  addJsonOption(worker.command("doctor"))
    .description("check that this machine can run a worker: agents, git, isolation, disk, panel")
    .exitOverride()
    .action(async (_options, doctor: Command) => {
      const { findings, isOk } = await examine(settingsOf(worker, environment, { needsToken: false }));
      const checks = findings.map(({ what, isOk: ok, message }) => ({ check: what, ok, message }));
      const text = () => tableOf(findings, widthOf(process.stdout));
      printResult(doctor, process.stdout, { json: { ok: isOk, checks }, text });
      process.exitCode = isOk ? 0 : 1;
    });
  return worker;
}

function settingsOf(worker: Command, environment: HostEnvironment, { needsToken } = { needsToken: true }) {
  const options: Options = worker.opts();
  const { token, tokenFile } = options;
  // Options take precedence over the environment; an empty value counts as absent.
  const key = token || (tokenFile === undefined && environment["PANEL_TOKEN"]) || null;
  const panel = originOf(options.panel);
  const issues = [
    ...configIssues(WorkerConfig, environment),
    ...(needsToken && key === null && tokenFile === undefined ? [KEY_REQUIRED] : []),
  ];
  if (panel === null || issues.length > 0)
    return worker.error(`error: ${new ConfigError(issues).message}`, { exitCode: 2 });
  return {
    panel,
    token: key,
    tokenFile: tokenFile ?? null,
    name: options.name,
    slots: options.slots,
    workDir:
      options.workDir ?? join(environment["TRIPTYCH_DATA"] || ".triptych", "worker", encodeURIComponent(options.name)),
    agents: options.agents ?? null,
    named: options.agent ?? new Map(),
    ...readIsolation(worker, options),
    exposed: options.mountRo,
    mayBeRoot: options.allowRoot || environment["WORKER_ALLOW_ROOT"] === "1",
    cacheBytes: options.cache ? Number(environment["WORKER_CACHE_GB"] || CACHE_GB) * 1e9 : 0,
    isOnce: options.once,
    isEmbedded: options.embedded,
    environment,
  };
}

const KEY_REQUIRED =
  "PANEL_TOKEN: license key required, here or with --token-file. The dashboard shows the key under Account";

/** If an image is named, the worker requires it and never falls back to a lower level. */
function readIsolation(worker: Command, { isolation, image, engine }: Options) {
  if (image !== undefined) {
    if (isolation !== "container" && isolation !== "auto")
      worker.error(`error: --image requires --isolation container, not ${isolation}.`);
    return { isolation: "auto", image: { reference: image, engine: engine ?? null } } as const;
  }
  if (isolation === "container")
    return worker.error("error: --isolation container requires a local image: --image <reference>.");
  if (engine !== undefined) worker.error("error: --engine requires --image <reference>.");
  return { isolation, image: null } as const;
}

/** The reference becomes an argument of the engine, so it must not look like an option. */
function readImage(text: string): string {
  if (!/^[A-Za-z0-9][\w.:@/-]{0,254}$/.test(text))
    throw new InvalidArgumentError("Expected an image name or id, as podman and docker accept it.");
  return text;
}

function readEngine(text: string): readonly string[] {
  const args = splitArgs(text);
  if (args.length === 0)
    throw new InvalidArgumentError('Expected a program with arguments, or ["program","argument"].');
  return args;
}

function readAddress(text: string): string {
  const origin = originOf(text);
  if (origin === null) throw new InvalidArgumentError("Expected an http or https URL.");
  return origin;
}

function originOf(text: string): string | null {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) ? url.origin : null;
}

function readNames(text: string): readonly string[] {
  const names = text.split(",").map((name) => name.trim());
  if (names.includes("")) throw new InvalidArgumentError("Expected agent names, separated by commas.");
  return names;
}

function readName(text: string): string {
  if (text === "" || text.length > 100) throw new InvalidArgumentError("Expected 1 to 100 characters.");
  return text;
}

function readSlots(text: string): number {
  const slots = Number(text);
  if (!Number.isInteger(slots) || slots < 1 || slots > 1_000)
    throw new InvalidArgumentError("Expected a number from 1 to 1000.");
  return slots;
}

function readFolder(text: string, before: readonly string[]): readonly string[] {
  if (!text.startsWith("/")) throw new InvalidArgumentError("Expected an absolute path.");
  return [...before, text];
}

/** `argv` is split at white space, or is a JSON array for arguments with spaces. No shell reads it. */
function readAgent(
  text: string,
  before: ReadonlyMap<string, readonly string[]> = new Map(),
): ReadonlyMap<string, readonly string[]> {
  const [, name, argv] = /^([A-Za-z0-9][\w.-]{0,59})=(.+)$/s.exec(text) ?? [];
  const args = argv === undefined ? [] : splitArgs(argv);
  if (args.length === 0)
    throw new InvalidArgumentError('Expected name=program with arguments, or name=["program","argument"].');
  return new Map([...before, [name, args]]);
}

function splitArgs(text: string): readonly string[] {
  const args = text.startsWith("[") ? parseArgs(text) : text.trim().split(/\s+/);
  return args[0] === "" ? [] : args;
}

function parseArgs(json: string): readonly string[] {
  try {
    const args: unknown = JSON.parse(json);
    return Array.isArray(args) && args.every((arg) => typeof arg === "string") ? args : [];
  } catch {
    return [];
  }
}

const HELP = `
The dashboard shows the license key under Account. Save it in a file of mode 0600 (umask 077 && cat > key) and use --token-file, or set
PANEL_TOKEN. Do not use --token: every user of this machine can read it in the process list.

Examples:
  triptych worker --panel https://panel.example --token-file key
  triptych worker --token-file key --slots 4 --agent codemod='npx my-codemod {worktree}'
  triptych worker --token-file key --image localhost/tools:1 --engine 'podman --log-level error'
  triptych worker doctor

In --agent, {prompt_file}, {worktree} and {model} are filled in. A program that speaks the Agent Client Protocol is offered with
--agent name='acp:program arguments'. Known CLIs (codex, claude, gemini, opencode, qwen, pi, cline) are detected in PATH.
Stops on SIGTERM or SIGINT: active runs have 10 s to finish and are then returned to the panel. A second signal ends them at once.
Exit status: 0 stopped, or done (--once); 1 failed; 2 wrong usage, invalid environment, or a worker ID that the panel has deleted or that
another process uses.`;

/** The worker's log: text on a terminal, JSON lines elsewhere. */
function createLog(): (text: string) => void {
  return (message) => {
    const time = new Date().toISOString();
    process.stdout.write(
      process.stdout.isTTY
        ? `${time.slice(11, 19)} ${message}\n`
        : `${JSON.stringify({ time, service: "worker", message })}\n`,
    );
  };
}
