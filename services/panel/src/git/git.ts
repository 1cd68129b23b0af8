/**
 * The one door to the `git` of this machine: an argv and never a shell line, an environment that is given whole and quiet, a wall clock
 * and a bound on what it may say. Credentials travel with the settings in the environment.
 */
import { spawn, type ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { asEnvironment, QUIET, QUIET_SETTINGS, type Environment, type Settings } from "@triptych/quiet-git";

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
    HOME: "/nonexistent",
    ...QUIET,
    ...asEnvironment({ ...SETTINGS, ...settings }),
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

/** The panel's own, beside what is switched off everywhere. */
const SETTINGS: Settings = {
  ...QUIET_SETTINGS,
  "core.bigFileThreshold": "64m",
  "http.lowSpeedLimit": "1",
  "http.lowSpeedTime": "60",
  // The folders are ours, whoever runs this process.
  "safe.directory": "*",
};
