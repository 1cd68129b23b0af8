/**
 * Runs this machine's `git` with all behavior of repository, user and system configuration disabled. The repository folder is always
 * explicit: a `.git` in a tree is never discovered.
 */
import { asEnvironment, HARDENED_GIT_ENV, QUIET_SETTINGS, type Settings } from "@triptych/git";
import { createTail } from "../process/tail.ts";
import { runProcess } from "../process/run-process.ts";
import type { Environment } from "../process/environment.ts";

export interface Git {
  /** Returns git's output. Throws `GitError` on failure, or the abort reason of `signal`. */
  run(args: readonly string[], options?: GitOptions): Promise<Buffer>;
}

interface GitOptions {
  readonly input?: string | Buffer;
  readonly environment?: Environment;
  readonly timeoutMs?: number;
  readonly fileBytes?: number;
}

export interface GitContext {
  readonly gitFolder: string;
  /** Absent: a bare repository. */
  readonly tree?: string;
  readonly environment: Environment;
  readonly signal: AbortSignal;
}

export class GitError extends Error {
  override readonly name = "GitError";
}

const TIMEOUT_MS = 120_000;
/** Twice the maximum delivered diff. */
const OUTPUT_BYTES = 128 * 1024 * 1024;
const STDERR_BYTES_MAX = 4096;

export function createGit({ gitFolder, tree, environment, signal }: GitContext): Git {
  const locationArgs = [`--git-dir=${gitFolder}`, ...(tree === undefined ? [] : [`--work-tree=${tree}`])];
  return {
    async run(args, options = {}) {
      const stderr = createTail(STDERR_BYTES_MAX);
      const printed: Buffer[] = [];
      const end = await runProcess({
        argv: ["git", ...locationArgs, ...args],
        cwd: tree ?? "/",
        environment: { ...environment, ...HARDENED_GIT_ENV, ...asEnvironment(SETTINGS), ...options.environment },
        limits: {
          timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
          outputBytes: OUTPUT_BYTES,
          ...(options.fileBytes !== undefined && { fileBytes: options.fileBytes }),
        },
        signal,
        ...(options.input !== undefined && { input: options.input }),
        onStdout: (chunk) => void printed.push(chunk),
        onStderr: (chunk) => stderr.push(chunk),
      });
      if (end.kind === "exited" && end.code === 0) return Buffer.concat(printed);
      signal.throwIfAborted();
      const how = end.kind === "exited" ? `exit code ${end.code}` : end.kind;
      throw new GitError(`git ${args[0]} failed (${how}): ${stderr.text().trim()}`);
    },
  };
}

/** The worker's own settings, besides those disabled everywhere. */
const SETTINGS: Settings = {
  ...QUIET_SETTINGS,
  "core.autocrlf": "false",
  "commit.gpgSign": "false",
  // A fetch stays one pack: the file size limit then limits the fetch.
  "fetch.unpackLimit": "1",
  "protocol.http.allow": "always",
  "protocol.https.allow": "always",
  "protocol.file.allow": "always",
};

/** The environment of one fetch: the same settings and a header for this address. */
export function withBearer(url: string, bearer: string): Environment {
  return asEnvironment({ ...SETTINGS, [`http.${url}.extraHeader`]: `Authorization: Bearer ${bearer}` });
}
