import {
  ADDED_DIFF,
  readAdded,
  readDiffSize,
  type AddedText,
  type Change,
  type DiffSize,
} from "@triptych/change-policy";
import { branchOf } from "../domain/run-branch.ts";
import type { Git } from "@triptych/git";

export interface Range {
  readonly head: string;
  /** Parents of the head commit. */
  readonly parents: readonly string[];
  readonly isForward: boolean;
  readonly changes: readonly Change[];
  readonly size: DiffSize;
  readonly patchId: string | null;
  /** All text that its commits add: lines, file names, messages, authors. */
  readonly added: readonly AddedText[];
  readonly diff: Buffer;
}

export class TooLarge extends Error {}

const COMMITS_MAX = 100;
const FILES_MAX = 10_000;
/** Uncompressed size of changed files: a small pack may contain large ones. */
const CHANGED_BYTES_MAX = 64 * 1024 * 1024;
const NONE = "000000";
const SYMBOLIC_LINK = "120000";

export async function readRange(
  git: Git,
  { base, runId }: { readonly base: string; readonly runId: string },
): Promise<Range> {
  const head = lineOf(
    await git.run(["rev-parse", "--verify", "--end-of-options", `refs/heads/${branchOf(runId)}^{commit}`]),
  );
  const range = `${base}..${head}`;
  const ancestor = lineOf(await git.run(["merge-base", base, head]));
  const commits = lineOf(await git.run(["rev-list", range]))
    .split("\n")
    .filter(Boolean);
  if (commits.length > COMMITS_MAX)
    throw new TooLarge(`The branch has ${commits.length} commits; at most ${COMMITS_MAX} are allowed.`);
  await refuseLarge(git, base, commits);
  const { entries, size } = await measure(git, base, head);
  return {
    head,
    parents: lineOf(await git.run(["rev-list", "--parents", "-n", "1", head]))
      .split(" ")
      .slice(1),
    isForward: ancestor === base && commits.length > 0,
    changes: await changesOf(git, entries),
    size,
    patchId: await patchIdOf(git, base, head),
    added: await addedBy(git, commits),
    diff: await diffOf(git, base, head),
  };
}

interface Entry {
  readonly modeBefore: string;
  readonly modeAfter: string;
  readonly idAfter: string;
  readonly path: string;
}

const DIFF = ["diff-tree", "-r", "-z", "--no-renames", "--no-ext-diff", "--no-textconv"];

interface DiffMeasure {
  readonly entries: readonly Entry[];
  readonly size: DiffSize;
}

/** Parses two formats of one diff: raw records (colon, then name), followed by line counts. */
export async function measure(git: Git, before: string, after: string): Promise<DiffMeasure> {
  const printed = await git.run([...DIFF, "--raw", "--numstat", "--no-abbrev", before, after]);
  const fields = printed.toString("latin1").split("\0").filter(Boolean);
  const entries: Entry[] = [];
  let at = 0;
  while (fields[at]?.startsWith(":")) {
    const [modeBefore = NONE, modeAfter = NONE, , idAfter = ""] = (fields[at] ?? "").slice(1).split(" ");
    // Names in git may not be UTF-8; rules and people read them as if they were.
    const path = Buffer.from(fields[at + 1] ?? "", "latin1").toString("utf8");
    entries.push({ modeBefore, modeAfter, idAfter, path });
    at += 2;
  }
  return { entries, size: readDiffSize(fields.slice(at)) };
}

/** Checks the size of every new object before reading content. */
export async function refuseLarge(
  git: Git,
  base: string | readonly string[],
  commits: readonly string[],
): Promise<void> {
  if (commits.length === 0) return;
  const known = [base].flat().map((sha) => `^${sha}`);
  const input = `${[...commits, ...known].join("\n")}\n`;
  const listed = await git.run(["rev-list", "--objects", "--no-object-names", "--stdin"], { input });
  const ids = listed.toString("latin1").split("\n").filter(Boolean);
  if (ids.length > 4 * FILES_MAX)
    throw new TooLarge(`The branch adds ${ids.length} objects; at most ${4 * FILES_MAX} are allowed.`);
  const sizes = await git.run(["cat-file", "--batch-check=%(objectsize)"], { input: `${ids.join("\n")}\n` });
  const bytes = sizes
    .toString("latin1")
    .split("\n")
    .reduce((sum, size) => sum + Number(size), 0);
  if (bytes > CHANGED_BYTES_MAX)
    throw new TooLarge(`The change has ${bytes} bytes; at most ${CHANGED_BYTES_MAX} are allowed.`);
}

export async function changesOf(git: Git, entries: readonly Entry[]): Promise<readonly Change[]> {
  if (entries.length > FILES_MAX)
    throw new TooLarge(`The change edits ${entries.length} files; at most ${FILES_MAX} are allowed.`);
  const changes: Change[] = [];
  for (const { path, modeBefore, modeAfter, idAfter } of entries) {
    const isLink = modeAfter === SYMBOLIC_LINK;
    const linksTo = isLink ? (await git.run(["cat-file", "blob", idAfter])).toString("latin1") : null;
    changes.push({ path, modeBefore, modeAfter, linksTo });
  }
  return changes;
}

export async function patchIdOf(git: Git, base: string, head: string): Promise<string | null> {
  const args = ["diff-tree", "-r", "-p", "--no-renames", "--no-ext-diff", "--no-textconv", "--full-index"];
  // Quoted names are part of stored patch ids and must stay for comparison.
  const input = await git.run([...args, base, head], { settings: { "core.quotePath": "true" } });
  const [id = ""] = lineOf(await git.run(["patch-id", "--stable"], { input })).split(" ");
  return id === "" ? null : id;
}

/** Diffs each commit against each parent: text that a later commit removes would still be pushed. */
export async function addedBy(git: Git, commits: readonly string[]): Promise<readonly AddedText[]> {
  const input = `${commits.join("\n")}\n`;
  const [command = "", ...form] = ADDED_DIFF;
  const diffs = await git.run([command, "--stdin", "-m", "--root", "--no-commit-id", ...form], { input });
  const names = await git.run(["diff-tree", "--stdin", "-m", "--root", "--no-commit-id", "-r", "-z", "--name-only"], {
    input,
  });
  const args = ["log", "--no-walk=unsorted", "--stdin", "--format=%an%n%ae%n%cn%n%ce%n%B"];
  const output = await git.run(args, { input });
  return [
    ...readAdded(diffs.toString("utf8")),
    { path: "names of files", text: names.toString("utf8").replaceAll("\0", "\n"), lines: [] },
    { path: "messages and authors of commits", text: output.toString("utf8"), lines: [] },
  ];
}

export function lineOf(printed: Buffer): string {
  return printed.toString("latin1").trim();
}

export async function diffOf(git: Git, base: string, head: string): Promise<Buffer> {
  return git.run(["diff-tree", "-r", "-p", "-M", "--no-color", "--no-ext-diff", "--no-textconv", base, head]);
}
