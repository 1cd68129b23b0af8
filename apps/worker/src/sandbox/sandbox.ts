/**
 * The sandbox: each command in its own namespaces, built by `bwrap`, with a read-only system, its own home and temporary folders, the tree,
 * and only the allowed network. No process outlives it: the kernel kills a PID namespace with its first process.
 */
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { IsolationLevel } from "@triptych/contracts";
import type { Environment } from "../process/environment.ts";
import { runProcess, type ProcessEnd, type ProcessSpec } from "../process/run-process.ts";
import { ENTERING, type ControlGroup, type ControlGroups } from "./cgroups.ts";
import type {
  SandboxFolders,
  SandboxFactory,
  SandboxRequest,
  LaunchProcess,
  CreateSandbox,
  LaunchPurpose,
} from "./sandbox-factory.ts";
import { copyFolder, removeFolder } from "../process/folders.ts";
import { openNetwork, type ModelAccess, type PurposeNetwork } from "./network.ts";
import { INNER_PORT, INNER_SOCKET, prlimitArgs, bwrapArgs, type HardLimits } from "./bwrap-args.ts";
import { watchUse } from "./resource-monitor.ts";

/** Host programs that start a command, each with its arguments inside. */
export interface SandboxLaunchers {
  readonly prlimit: readonly string[];
  readonly node: readonly string[];
  readonly forwarder: string;
}

export interface SandboxTools {
  readonly level: Extract<IsolationLevel, "sandbox" | "container">;
  readonly bwrap: string;
  readonly hardLimits: HardLimits;
  readonly system: readonly string[];
  readonly starters: SandboxLaunchers;
  /** Environment changes of the system inside; none of them reach `bwrap`. */
  readonly environment: (environment: Environment) => Environment;
  /** Null if the resource monitor enforces the limits. */
  readonly groups: ControlGroups | null;
}

/** Launchers for a sandbox whose system is that of this machine. */
export function hostLaunchers(prlimit: string): SandboxLaunchers {
  const forwarder = fileURLToPath(new URL("forwarder.mjs", import.meta.url));
  return { prlimit: [prlimit], node: [process.execPath], forwarder };
}

export function createSandboxes(host: SandboxTools, access: ModelAccess): CreateSandbox {
  return async (folders, request) => {
    const hostFilesFolder = await mkdtemp(join(tmpdir(), "triptych-"));
    const network = await openNetwork(access, { ...request, folder: hostFilesFolder, innerPort: INNER_PORT });
    const group = (await host.groups?.open(request.limits)) ?? null;
    const hostFiles = await writeHostFiles(hostFilesFolder, network.isShared);
    const sandbox = { host, folders, request, hostFiles, network, group };
    const use = watchUse({ folders, request, sum: [...readAllArgs(host), "du"], hasProcesses: true, group });
    const launcherIn =
      (tree: string, openHome: () => Promise<Home>) =>
      (purpose: LaunchPurpose): LaunchProcess =>
      (spec) =>
        use.during(spec, async (watched) => {
          await using home = await openHome();
          return await launch({ ...sandbox, purpose, tree, home: home.path }, watched);
        });
    return {
      level: host.level,
      network: request.isolation.network,
      modelProxy: network.modelProxy,
      launcher: (purpose) => launcherIn(folders.tree, () => homeFor(purpose, folders))(purpose),
      async openCleanTree() {
        const folder = await mkdtemp(join(folders.temporary, "clean-"));
        const [tree, home] = [join(folder, "tree"), join(folder, "home")];
        for (const path of [tree, home]) await mkdir(path);
        await copyHome(folders.home, home);
        return {
          tree,
          seenAs: folders.tree,
          launcher: launcherIn(tree, async () => staying(home)),
          [Symbol.asyncDispose]: () => removeFolder(folder),
        };
      },
      async [Symbol.asyncDispose]() {
        use[Symbol.dispose]();
        await group?.[Symbol.asyncDispose]();
        await network[Symbol.asyncDispose]();
        await rm(hostFilesFolder, { recursive: true, force: true });
      },
    } satisfies SandboxFactory;
  };
}

interface Sandbox {
  readonly host: SandboxTools;
  readonly folders: SandboxFolders;
  readonly request: SandboxRequest;
  readonly hostFiles: readonly (readonly [string, string])[];
  readonly network: { readonly isShared: boolean; readonly of: (purpose: LaunchPurpose) => PurposeNetwork };
  readonly group: ControlGroup | null;
}

interface InnerSandbox extends Sandbox {
  readonly purpose: LaunchPurpose;
  readonly tree: string;
  readonly home: string;
}

async function launch(sandbox: InnerSandbox, spec: ProcessSpec): Promise<ProcessEnd> {
  const { host, folders, request, hostFiles, network, group, purpose, tree, home } = sandbox;
  const { socket, environment } = network.of(purpose);
  const args = bwrapArgs({
    purpose,
    folders,
    home,
    tree,
    system: host.system,
    hostFiles,
    network: { isShared: network.isShared, socket },
    limits: request.limits,
    cwd: spec.cwd,
  });
  const { node, forwarder } = host.starters;
  const forwarding = socket === null ? [] : [...node, forwarder, INNER_SOCKET, String(INNER_PORT)];
  // The exit of the network policy overrides the machine's proxies.
  const inside = { ...spec.environment, ...environment };
  let stderr = "";
  const end = await runProcess({
    ...spec,
    argv: [
      ...(group?.args ?? []),
      host.bwrap,
      ...args,
      ...Object.entries(host.environment(inside)).flatMap(([name, value]) => ["--setenv", name, value]),
      "--",
      ...prlimitArgs(host, request.limits),
      ...forwarding,
      ...spec.argv,
    ],
    cwd: "/",
    environment: { ...inside, TMPDIR: "/tmp" },
    onStderr(chunk) {
      if (stderr.length < STDERR_CHARACTERS_MAX) stderr += chunk.toString("latin1", 0, STDERR_CHARACTERS_MAX);
      spec.onStderr?.(chunk);
    },
  });
  return refuseUnstarted(end, stderr);
}

/** The worker's user owns files that were made unreadable inside, and a user namespace allows reading them. */
function readAllArgs({ bwrap }: SandboxTools): readonly string[] {
  const right = ["--cap-drop", "ALL", "--cap-add", "CAP_DAC_READ_SEARCH"];
  return [
    bwrap,
    "--unshare-user",
    "--uid",
    "0",
    "--gid",
    "0",
    ...right,
    "--ro-bind",
    "/",
    "/",
    "--die-with-parent",
    "--",
  ];
}

const STDERR_CHARACTERS_MAX = 512;
const BEFORE_BEGINNING = new RegExp(`^(?:bwrap: |prlimit: failed to execute |${ENTERING}: )`);

/** A command that never started has not failed: the error is that of the sandbox. */
function refuseUnstarted(end: ProcessEnd, stderr: string): ProcessEnd {
  const isTheirs = BEFORE_BEGINNING.test(stderr);
  const isFailure = end.kind === "exited" && end.code !== 0;
  return isTheirs && isFailure ? { kind: "not_started", reason: stderr.split("\n")[0] } : end;
}

interface Home extends AsyncDisposable {
  readonly path: string;
}

/**
 * Setup and checks share the run's home. An agent gets a fresh copy, which is discarded: its settings of npm, git or a shell would affect
 * the checks, and writing over a used copy may follow a link out of it.
 */
async function homeFor(purpose: LaunchPurpose, folders: SandboxFolders): Promise<Home> {
  if (purpose === "setup" || purpose === "check") return staying(folders.home);
  const path = await mkdtemp(join(folders.temporary, "home-"));
  await copyHome(folders.home, path);
  return { path, [Symbol.asyncDispose]: () => removeFolder(path) };
}

function staying(path: string): Home {
  return { path, async [Symbol.asyncDispose]() {} };
}

async function copyHome(from: string, to: string): Promise<void> {
  if ((await readdir(from)).length > 0) await copyFolder(from, to);
}

async function writeHostFiles(folder: string, isShared: boolean): Promise<readonly (readonly [string, string])[]> {
  const files: readonly (readonly [string, string])[] = [
    [
      "passwd",
      "agent:x:1000:1000:agent:/:/bin/sh\nroot:x:0:0:root:/:/bin/false\nnobody:x:65534:65534:nobody:/:/bin/false\n",
    ],
    ["group", "agent:x:1000:\nroot:x:0:\nnogroup:x:65534:\n"],
    ["hosts", "127.0.0.1 localhost sandbox\n::1 localhost\n"],
  ];
  for (const [name, text] of files) await writeFile(join(folder, name), text, { mode: 0o644 });
  const hostFiles = files.map(([name]) => [join(folder, name), `/etc/${name}`] as const);
  // With the network of the host, the host's resolver is needed.
  return isShared
    ? [...hostFiles.slice(0, 2), ["/etc/hosts", "/etc/hosts"], ["/etc/resolv.conf", "/etc/resolv.conf"]]
    : hostFiles;
}
