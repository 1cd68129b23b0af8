/**
 * The only way to run `git`: an argv without a shell, a complete environment, a timeout and an output limit. Credentials are passed as
 * settings in the environment.
 */
import { runProgram, type Ended } from "@triptych/process-spawner";
import { asEnvironment, HARDENED_GIT_ENV, QUIET_SETTINGS, type Environment, type Settings } from "@triptych/git";

export interface Git {
  /** Standard output. Throws `GitError` on failure. */
  run(args: readonly string[], options?: GitOptions): Promise<Buffer>;
}

export interface GitOptions {
  readonly input?: string | Buffer | undefined;
  readonly environment?: Environment | undefined;
  /** In addition to the defaults. */
  readonly settings?: Settings | undefined;
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export class GitError extends Error {
  override readonly name = "GitError";
  readonly exitCode: number | null;
  readonly stderr: string;
  readonly printed: string;

  constructor(
    message: string,
    end: { readonly exitCode: number | null; readonly stderr: string; readonly printed: string },
  ) {
    super(message);
    this.exitCode = end.exitCode;
    this.stderr = end.stderr;
    this.printed = end.printed;
  }
}

/** For local commands; network commands set their own. */
const TIMEOUT_MS = 120_000;
/** Twice the size of a deliverable diff. */
const OUTPUT_BYTES = 128 * 1024 * 1024;
const OUTPUT_CHARACTERS_MAX = 4096;

export function createGit(gitFolder: string): Git {
  return {
    async run(args, { input, environment, settings, timeoutMs = TIMEOUT_MS, signal } = {}) {
      const request = {
        program: "git",
        args: [`--git-dir=${gitFolder}`, ...args],
        folder: "/",
        environment: gitEnvironment({ environment, settings }),
        input,
        timeoutMs,
        outputBytes: OUTPUT_BYTES,
      };
      const ended = await runProgram(request, signal);
      if (ended.how === "exited" && ended.code === 0) return ended.printed;
      throw failure(args[0] ?? "", ended, timeoutMs);
    },
  };
}

function failure(what: string, ended: Ended, timeoutMs: number): GitError {
  const stderr = ended.stderr.trim();
  const end = {
    exitCode: ended.how === "exited" ? ended.code : null,
    stderr,
    printed: ended.printed.subarray(0, OUTPUT_CHARACTERS_MAX).toString("utf8"),
  };
  return new GitError(`git ${what} failed (${howOf(ended, timeoutMs)})${stderr === "" ? "" : `: ${stderr}`}`, end);
}

function howOf(ended: Ended, timeoutMs: number): string {
  switch (ended.how) {
    case "exited":
      return `exit code ${ended.code}`;
    case "killed":
      return `signal ${ended.signal}`;
    case "cut":
      if (ended.why === "stopped") return "stopped";
      return ended.why === "time" ? `timeout after ${timeoutMs / 1000} s` : "output too large";
    case "not_started":
      return ended.why;
  }
}

export function gitEnvironment({ environment, settings }: Pick<GitOptions, "environment" | "settings">): Environment {
  return {
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    HOME: "/nonexistent",
    ...HARDENED_GIT_ENV,
    ...asEnvironment({ ...SETTINGS, ...settings }),
    ...environment,
  };
}

/** Settings of the panel, in addition to those disabled everywhere. */
const SETTINGS: Settings = {
  ...QUIET_SETTINGS,
  "core.bigFileThreshold": "64m",
  "http.lowSpeedLimit": "1",
  "http.lowSpeedTime": "60",
  // The panel owns the folders, whichever user runs it.
  "safe.directory": "*",
};
