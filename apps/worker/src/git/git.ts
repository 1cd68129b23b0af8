/**
 * The `git` of this machine, with everything that a repository, a user's settings or the system could make it do switched off: no
 * hooks, no prompts, no settings of system or user, no file-system monitor, no magic in paths, no other protocols, no redirects that
 * would carry the credential elsewhere. The repository folder is always named: a `.git` that stands in a tree is never looked for.
 */
import { createTail } from "../process/tail.ts";
import { runProcess } from "../process/run-process.ts";
import type { Environment } from "../process/environment.ts";

export interface Git {
  /** What git printed. Throws `GitError` when it fails, what `signal` was aborted with when it was. */
  run(words: readonly string[], options?: GitOptions): Promise<Buffer>;
}

interface GitOptions {
  readonly input?: string | Buffer;
  readonly environment?: Environment;
  readonly timeoutMs?: number;
  readonly fileBytes?: number;
}

export interface GitPlace {
  readonly gitFolder: string;
  /** Without it: a bare repository. */
  readonly tree?: string;
  readonly environment: Environment;
  readonly signal: AbortSignal;
}

export class GitError extends Error {
  override readonly name = "GitError";
}

/** A local command; a clone brings its own. */
const TIMEOUT_MS = 120_000;
/** A diff of what may be delivered, twice over. */
const OUTPUT_BYTES = 128 * 1024 * 1024;
const SAID_BYTES = 4096;

export function createGit({ gitFolder, tree, environment, signal }: GitPlace): Git {
  const place = [`--git-dir=${gitFolder}`, ...(tree === undefined ? [] : [`--work-tree=${tree}`])];
  return {
    async run(words, options = {}) {
      const said = createTail(SAID_BYTES);
      const printed: Buffer[] = [];
      const end = await runProcess({
        argv: ["git", ...place, ...words],
        cwd: tree ?? "/",
        environment: { ...environment, ...QUIET, ...settings(SETTINGS), ...options.environment },
        limits: {
          timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
          outputBytes: OUTPUT_BYTES,
          ...(options.fileBytes !== undefined && { fileBytes: options.fileBytes }),
        },
        signal,
        ...(options.input !== undefined && { input: options.input }),
        onStdout: (chunk) => void printed.push(chunk),
        onStderr: (chunk) => said.push(chunk),
      });
      if (end.kind === "exited" && end.code === 0) return Buffer.concat(printed);
      signal.throwIfAborted();
      const how = end.kind === "exited" ? `exit code ${end.code}` : end.kind;
      throw new GitError(`git ${words[0]} failed (${how}): ${said.text().trim()}`);
    },
  };
}

const QUIET: Environment = {
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_LITERAL_PATHSPECS: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_OPTIONAL_LOCKS: "0",
};

type Settings = Readonly<Record<string, string>>;

const SETTINGS: Settings = {
  // Mirrors and trees can be made again: what a crash takes of them costs a clone, what waiting for the disk costs is every run.
  "core.fsync": "none",
  "core.hooksPath": "/dev/null",
  "core.fsmonitor": "false",
  "core.askPass": "",
  "core.autocrlf": "false",
  "core.protectHFS": "true",
  "core.protectNTFS": "true",
  "commit.gpgSign": "false",
  "credential.helper": "",
  "diff.ignoreSubmodules": "all",
  "submodule.recurse": "false",
  // What is fetched stays one pack: the limit of a file's size is then the limit of a fetch.
  "fetch.unpackLimit": "1",
  "gc.auto": "0",
  "http.followRedirects": "false",
  "maintenance.auto": "false",
  // One thread packs the same objects into the same bytes every time.
  "pack.threads": "1",
  "protocol.allow": "never",
  "protocol.http.allow": "always",
  "protocol.https.allow": "always",
  "protocol.file.allow": "always",
};

/** Settings in the environment: not to be read in the list of processes, not written to any file. */
function settings(values: Settings): Environment {
  const named = Object.entries(values).flatMap(([key, value], place) => [
    [`GIT_CONFIG_KEY_${place}`, key],
    [`GIT_CONFIG_VALUE_${place}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(Object.keys(values).length), ...Object.fromEntries(named) };
}

/** The environment of one fetch: the same settings and a header for this address. */
export function withBearer(url: string, bearer: string): Environment {
  return settings({ ...SETTINGS, [`http.${url}.extraHeader`]: `Authorization: Bearer ${bearer}` });
}
