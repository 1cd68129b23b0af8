/**
 * The one door to the `git` of this machine: an argv and never a shell line, an environment that is given whole, no hooks, no prompts,
 * no settings of system or user, only protocols that were asked for, no redirects that would carry a credential elsewhere, a wall
 * clock and a bound on what it may say. Settings and credentials travel in the environment: neither the list of processes nor a file
 * shows them.
 */
import { spawn, type ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";

export type Environment = Readonly<Record<string, string>>;
/** A list is a setting that is given several times, in this order. */
export type Settings = Readonly<Record<string, string | readonly string[]>>;

export interface Git {
  /** What git printed. Throws `GitError` when it fails. */
  run(words: readonly string[], options?: GitOptions): Promise<Buffer>;
}

export interface GitOptions {
  readonly input?: string | Buffer | undefined;
  readonly environment?: Environment | undefined;
  /** On top of ours. */
  readonly settings?: Settings | undefined;
  readonly timeoutMs?: number | undefined;
}

export class GitError extends Error {
  override readonly name = "GitError";
  /** Null where git did not end by itself. */
  readonly exitCode: number | null;
  readonly said: string;
  readonly printed: string;

  constructor(
    message: string,
    end: { readonly exitCode: number | null; readonly said: string; readonly printed: string },
  ) {
    super(message);
    this.exitCode = end.exitCode;
    this.said = end.said;
    this.printed = end.printed;
  }
}

/** A local command; what goes over the network brings its own. */
const TIMEOUT_MS = 120_000;
/** A diff of what may be delivered, twice over. */
const OUTPUT_BYTES = 128 * 1024 * 1024;
const SAID_CHARACTERS = 4096;

export function createGit(gitFolder: string): Git {
  return {
    run(words, { input, environment, settings, timeoutMs = TIMEOUT_MS } = {}) {
      const child = spawn("git", [`--git-dir=${gitFolder}`, ...words], {
        cwd: "/",
        env: gitEnvironment({ environment, settings }),
        detached: true,
        stdio: ["pipe", "pipe", "pipe"],
      });
      return hear(child, { what: words[0] ?? "", input, timeoutMs });
    },
  };
}

/** The whole environment of a git program. */
export function gitEnvironment({ environment, settings }: Pick<GitOptions, "environment" | "settings">): Environment {
  return {
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    ...QUIET,
    ...asSettings({ ...SETTINGS, ...settings }),
    ...environment,
  };
}

interface Hearing {
  readonly what: string;
  readonly input: string | Buffer | undefined;
  readonly timeoutMs: number;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

function hear(child: Child, { what, input, timeoutMs }: Hearing): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const printed: Buffer[] = [];
    let [bytes, said, broken] = [0, "", ""];
    const stop = (why: string) => {
      broken ||= why;
      killGroup(child);
    };
    const clock = setTimeout(() => stop(`it took longer than ${timeoutMs / 1000} s`), timeoutMs);
    child.stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > OUTPUT_BYTES) stop("it printed too much");
      else printed.push(chunk);
    });
    child.stderr.on("data", (chunk: Buffer) => void (said = (said + chunk.toString("utf8")).slice(-SAID_CHARACTERS)));
    // A git that reads no input closes the pipe before it is full: that is its right.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    const fail = (how: string, exitCode: number | null) => {
      const text = said.trim();
      const end = {
        exitCode,
        said: text,
        printed: Buffer.concat(printed).subarray(0, SAID_CHARACTERS).toString("utf8"),
      };
      reject(new GitError(`git ${what} failed (${how})${text === "" ? "" : `: ${text}`}`, end));
    };
    child.once("error", (error) => {
      clearTimeout(clock);
      fail(error.message, null);
    });
    child.once("close", (code, signal) => {
      clearTimeout(clock);
      if (broken !== "") fail(broken, null);
      else if (code === 0) resolve(Buffer.concat(printed));
      else fail(code === null ? `signal ${signal}` : `exit code ${code}`, code);
    });
  });
}

/** With what it started itself: a transport, an ssh. A group that is gone already is what was wanted. */
export function killGroup({ pid }: { readonly pid?: number | undefined }): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

const QUIET: Environment = {
  LC_ALL: "C",
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_LITERAL_PATHSPECS: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_OPTIONAL_LOCKS: "0",
};

const SETTINGS: Settings = {
  // A mirror is a cache and a quarantine lives for one command: what waiting for the disk would save can be fetched again.
  "core.fsync": "none",
  "core.hooksPath": "/dev/null",
  "core.fsmonitor": "false",
  "core.askPass": "",
  "core.protectHFS": "true",
  "core.protectNTFS": "true",
  "core.bigFileThreshold": "64m",
  "credential.helper": "",
  "diff.ignoreSubmodules": "all",
  "submodule.recurse": "false",
  "gc.auto": "0",
  "maintenance.auto": "false",
  "http.followRedirects": "false",
  "http.lowSpeedLimit": "1",
  "http.lowSpeedTime": "60",
  "pack.threads": "1",
  // The folders are ours, whoever runs this process.
  "safe.directory": "*",
  "protocol.allow": "never",
};

function asSettings(values: Settings): Environment {
  const given = Object.entries(values).flatMap(([key, value]) => [value].flat().map((one) => [key, one] as const));
  const named = given.flatMap(([key, value], place) => [
    [`GIT_CONFIG_KEY_${place}`, key] as const,
    [`GIT_CONFIG_VALUE_${place}`, value] as const,
  ]);
  return { GIT_CONFIG_COUNT: String(given.length), ...Object.fromEntries(named) };
}
