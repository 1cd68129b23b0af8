/** What a run pushed, read from the bare repository, not from the panel: one commit on the base, and its checks pass there. */
import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { AddedRepo } from "./client.ts";

const run = promisify(execFile);
const OUTPUT_MAX_BYTES = 64 * 1024 * 1024;
const CHECK_TIMEOUT_MS = 300_000;
const OUTPUT_LENGTH_MAX = 400;

export interface PushedBranch {
  readonly bare: string;
  readonly branch: string | null;
  readonly commands: Pick<AddedRepo, "setup" | "verify">;
  readonly environment: Readonly<Record<string, string>>;
}

export interface Inspection {
  /** Why it is not what was announced; null if it is. */
  readonly problem: string | null;
  readonly files: string;
}

export async function inspectBranch(pushed: PushedBranch): Promise<Inspection> {
  const { bare, branch } = pushed;
  if (branch === null) return { problem: "the run names no branch", files: "" };
  const git = async (...words: readonly string[]) => (await run("git", ["--git-dir", bare, ...words])).stdout.trim();
  const heads = await git("for-each-ref", "--format=%(refname:short)", `refs/heads/${branch}`);
  if (heads !== branch) return { problem: `${branch} is not in the repository`, files: "" };
  const files =
    (await git("diff", "--shortstat", "main", branch)) + ` ${await git("diff", "--name-only", "main", branch)}`;
  const commits = await git("rev-list", "--count", `main..${branch}`);
  const isOnBase = (await git("merge-base", "main", branch)) === (await git("rev-parse", "main"));
  const problem = commits !== "1" || !isOnBase ? `${branch} has ${commits} commits on its base` : await check(pushed);
  return { problem, files: files.replaceAll("\n", " ") };
}

/** Outside of the product: as a person would check the branch. */
async function check({ bare, branch, commands, environment }: PushedBranch): Promise<string | null> {
  const tree = join(bare, "..", "pushed");
  await rm(tree, { recursive: true, force: true });
  await run("git", ["clone", "--quiet", "--branch", branch ?? "main", bare, tree]);
  try {
    for (const command of [commands.setup, commands.verify])
      if (command !== null)
        await run("/bin/sh", ["-c", command], {
          cwd: tree,
          env: { ...process.env, CI: "true", ...environment },
          maxBuffer: OUTPUT_MAX_BYTES,
          timeout: CHECK_TIMEOUT_MS,
        });
    return null;
  } catch (error) {
    const output = Object(error);
    return `the checks fail on the pushed branch: ${`${output.stdout}${output.stderr}`.slice(-OUTPUT_LENGTH_MAX)}`;
  } finally {
    await rm(tree, { recursive: true, force: true });
  }
}
