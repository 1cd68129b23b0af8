/** One commit on the base, and one bundle that contains only it. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { summarizeChange, titleOf } from "@triptych/change-policy";
import { createRedactor } from "@triptych/redaction";
import { RunError } from "../run/run-error.ts";
import type { Bundle, RunRequest } from "../run/run-request.ts";
import type { Git } from "@triptych/git";

export interface CommitInput {
  readonly request: RunRequest;
  readonly treeId: string;
  readonly atMs: number;
  /** Paths of all changed files. */
  readonly paths: readonly string[];
  /** Commit that was merged into the base. */
  readonly merged?: string | null;
}

/** No hooks and no editor: the commit is built from a tree, its parent and a message. */
export async function commit(git: Git, change: CommitInput): Promise<string> {
  const { request, treeId, atMs } = change;
  const { name, email } = request.author;
  const at = `${Math.floor(atMs / 1000)} +0000`;
  const environment = {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_AUTHOR_DATE: at,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
    GIT_COMMITTER_DATE: at,
  };
  const input = messageOf(change);
  const parents = [request.clone.sha, ...(change.merged == null ? [] : [change.merged])].flatMap((sha) => ["-p", sha]);
  const printed = await git.run(["commit-tree", treeId, ...parents, "-F", "-"], { environment, input });
  const sha = printed.toString("latin1").trim();
  await git.run(["update-ref", `refs/heads/${branchOf(request)}`, sha]);
  return sha;
}

const LARGEST_BUNDLE = 64 * 1024 * 1024;

/** Deterministic: a repeated upload has the same digest. */
export async function bundle(
  git: Git,
  request: RunRequest,
  { path, merged = null }: { readonly path: string; readonly merged?: string | null },
): Promise<Bundle> {
  const known = [request.clone.sha, ...(merged === null ? [] : [merged])].map((sha) => `^${sha}`);
  const range = [`refs/heads/${branchOf(request)}`, ...known];
  await git.run(["bundle", "create", "--quiet", "--version=2", path, ...range], { fileBytes: 2 * LARGEST_BUNDLE });
  const { size: bytes } = await stat(path);
  if (bytes > LARGEST_BUNDLE)
    throw new RunError("diff_too_large", `the bundle has ${bytes} bytes; the maximum is ${LARGEST_BUNDLE}`);
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return { path, bytes, sha256: hash.digest("hex") };
}

export function branchOf({ runId }: RunRequest): string {
  return `maint/${runId}`;
}

/** The focus is a person's text, and a secret in it would be pushed. */
const redactor = createRedactor(new Map());

/** The subject is one line, so it cannot forge the trailer. */
function messageOf({ request: { title, focus, runId }, paths }: CommitInput): string {
  const subject = titleOf({ title, focus, summaries: summarizeChange(paths) });
  return `${redactor.text(subject)}\n\nPanel-Run: ${runId}\n`;
}
