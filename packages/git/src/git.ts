/**
 * The only way to run git commands: arguments without a shell, a complete environment, a timeout and an output limit.
 * The repository folder is always explicit, so that a `.git` in a tree is never discovered. Credentials are passed as
 * settings.
 */
import { limitFileSize, runProgram, type Ended } from "@triptych/process-spawner";
import { gitEnvironment, type Environment, type Settings } from "./environment.ts";

export interface Git {
  /** Returns git's output. Throws `GitError` on failure, or the reason of the signal if it was aborted. */
  run(args: readonly string[], options?: GitOptions): Promise<Buffer>;
}

export interface GitContext {
  readonly gitFolder: string;
  /** The work tree; absent for a bare repository. */
  readonly tree?: string | undefined;
  /** Variables that git needs from the machine: at least PATH. */
  readonly environment: Environment;
  /** Added to the default settings. */
  readonly settings?: Settings | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface GitOptions {
  readonly input?: string | Buffer | undefined;
  readonly environment?: Environment | undefined;
  readonly settings?: Settings | undefined;
  readonly timeoutMs?: number | undefined;
  /** Maximum size of a written file, enforced by the kernel. */
  readonly fileBytes?: number | undefined;
  /** Replaces the signal of the context. */
  readonly signal?: AbortSignal | undefined;
}

export class GitError extends Error {
  override readonly name = "GitError";
  readonly exitCode: number | null;
  readonly stderr: string;
  readonly printed: string;

  constructor(what: string, ended: Ended, timeoutMs: number) {
    const stderr = ended.stderr.trim();
    super(`git ${what} failed (${howOf(ended, timeoutMs)})${stderr === "" ? "" : `: ${stderr}`}`);
    this.exitCode = ended.how === "exited" ? ended.code : null;
    this.stderr = stderr;
    this.printed = ended.printed.subarray(0, OUTPUT_CHARACTERS_MAX).toString("utf8");
  }
}

/** Default, for local commands; network commands set their own timeout. */
const TIMEOUT_MS = 120_000;
/** Twice the size of a deliverable diff. */
const OUTPUT_BYTES = 128 * 1024 * 1024;
const OUTPUT_CHARACTERS_MAX = 4096;

export function createGit(context: GitContext): Git {
  const { gitFolder, tree } = context;
  const location = [`--git-dir=${gitFolder}`, ...(tree === undefined ? [] : [`--work-tree=${tree}`])];
  return {
    async run(args, { input, environment, settings, timeoutMs = TIMEOUT_MS, fileBytes, signal = context.signal } = {}) {
      signal?.throwIfAborted();
      const argv = ["git", ...location, ...args];
      const [program = "git", ...rest] = fileBytes === undefined ? argv : limitFileSize(argv, fileBytes);
      const hardened = gitEnvironment({ ...context, settings: { ...context.settings, ...settings } });
      const request = {
        program,
        args: rest,
        folder: tree ?? "/",
        environment: { ...hardened, ...environment },
        input,
        timeoutMs,
        outputBytes: OUTPUT_BYTES,
      };
      const ended = await runProgram(request, signal);
      if (ended.how === "exited" && ended.code === 0) return ended.printed;
      signal?.throwIfAborted();
      throw new GitError(args[0] ?? "", ended, timeoutMs);
    },
  };
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
