/** A sandbox of this machine for tests, or the reason why a test is skipped. */
import { mkdirSync, mkdtempSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import type { SandboxFolders, SandboxFactory, LaunchPurpose } from "../../src/sandbox/sandbox-factory.ts";
import type { ModelAccess } from "../../src/sandbox/network.ts";
import { removeFolder } from "../../src/process/folders.ts";
import { detectIsolation, type Isolation } from "../../src/sandbox/isolation.ts";
import type { ProcessEnd } from "../../src/process/run-process.ts";
import type { RunError } from "../../src/run/run-error.ts";
import type { IsolationOptions, RunLimits } from "../../src/run/run-request.ts";
import { NO_MODELS } from "../support/no-models.ts";
import { LIMITS } from "../support/run-story.ts";

export const machine = { path: process.env["PATH"] ?? "/usr/bin:/bin", hidden: [homedir()], exposed: [] };

export const isolation = await detectIsolation("auto", machine);

/** Options of a test that needs a sandbox. In CI the test is not skipped: the worker refuses the assignment there, and the test fails. */
export const inSandbox = {
  skip: isolation.lacks === null || process.env["CI"] !== undefined ? false : `no sandbox here: ${isolation.lacks}`,
};

export interface Ended {
  readonly end: ProcessEnd;
  readonly output: string;
}

export interface TestSandbox extends AsyncDisposable {
  readonly folders: SandboxFolders;
  readonly factory: SandboxFactory;
  /** The exceeded limits. */
  readonly broken: readonly RunError[];
  /** Runs a shell command; returns its output and its result. */
  run(
    script: string,
    options?: { purpose?: LaunchPurpose; environment?: Readonly<Record<string, string>> },
  ): Promise<Ended>;
}

export interface SandboxOptions {
  readonly limits?: Partial<RunLimits>;
  readonly network?: IsolationOptions["network"];
  readonly allowHosts?: readonly string[];
  readonly models?: ModelAccess;
  /** Replaces the sandbox. */
  readonly sandboxes?: Isolation["sandboxes"];
}

export async function openSandbox(options: SandboxOptions = {}): Promise<TestSandbox> {
  const folder = mkdtempSync(join(tmpdir(), "sandbox-"));
  const named = (name: string) => join(folder, name);
  const folders = {
    tree: named("tree"),
    gitFolder: named("repository.git"),
    home: named("home"),
    temporary: named("temporary"),
    notes: named("notes"),
  };
  for (const path of Object.values(folders)) mkdirSync(path);
  const broken: RunError[] = [];
  const ending = new AbortController();
  const factory = await (options.sandboxes ?? isolation.sandboxes)(options.models ?? NO_MODELS)(folders, {
    limits: { ...LIMITS, ...options.limits },
    prices: new Map(),
    isolation: {
      levelRequired: "sandbox",
      network: options.network ?? "none",
      allowHosts: options.allowHosts ?? [],
    },
    onBroken(error) {
      broken.push(error);
      ending.abort(error);
    },
  });
  return {
    folders,
    factory,
    broken,
    async run(script, { purpose = "agent", environment = {} } = {}) {
      let output = "";
      const onOutput = (chunk: Buffer) => void (output += chunk.toString());
      const end = await factory.launcher(purpose)({
        argv: ["/bin/sh", "-c", script],
        cwd: folders.tree,
        environment: { PATH: machine.path, HOME: folders.home, ...environment },
        limits: { timeoutMs: 60_000, outputBytes: 16 * 1024 * 1024 },
        signal: ending.signal,
        onStdout: onOutput,
        onStderr: onOutput,
      });
      return { end, output };
    },
    async [Symbol.asyncDispose]() {
      await factory[Symbol.asyncDispose]();
      await removeFolder(folder);
    },
  };
}
