/** Tags of a mirror. Builds run `git describe`, so tags in the history of a fetched branch are mirrored too, within limits. */
import type { Git } from "@triptych/git";
import type { Remote } from "./remote.ts";

/** Each is a file. Above this, the last in natural order are used: `v1.10.0` after `v1.9.0`. */
const TAGS_MAX = 2_000;
/** Shown to a worker, newest first: each is a setting in a git process's environment. */
const VISIBLE_TAGS_MAX = 1_000;

interface Tag {
  readonly name: string;
  readonly sha: string;
  /** The commit that an annotated tag points to. */
  readonly target: string;
}

/** Fetches new and moved tags of commits that the mirror has. */
export async function fetchTags(git: Git, remote: Remote, signal: AbortSignal): Promise<void> {
  const { refs } = await remote.list(["refs/tags/*"]);
  const tags = [...refs]
    .filter(([name]) => !name.endsWith("^{}"))
    .map(([name, sha]): Tag => ({ name, sha, target: refs.get(`${name}^{}`) ?? sha }));
  const isPresent = await presentCommits(git, tags);
  const selected = tags
    .filter(({ target }) => isPresent.has(target))
    .toSorted((one, other) => one.name.localeCompare(other.name, "en", { numeric: true }))
    .slice(-TAGS_MAX);
  const known = await mirroredTags(git);
  const missing = selected.filter(({ name, sha }) => known.get(name) !== sha);
  if (missing.length > 0)
    await remote.fetch(
      missing.map(({ name }) => `+${name}:${name}`),
      signal,
    );
}

/** Full names of tags in the branch's history, so that tags expose no other branch. */
export async function tagsOn(git: Git, branch: string): Promise<readonly string[]> {
  const printed = await git.run([
    "for-each-ref",
    `--merged=refs/heads/${branch}`,
    "--sort=-creatordate",
    `--count=${VISIBLE_TAGS_MAX}`,
    "--format=%(refname)",
    "refs/tags",
  ]);
  return linesOf(printed);
}

async function presentCommits(git: Git, tags: readonly Tag[]): Promise<ReadonlySet<string>> {
  if (tags.length === 0) return new Set();
  const input = tags.map(({ target }) => `${target}\n`).join("");
  const printed = await git.run(["cat-file", "--batch-check=%(objectname) %(objecttype)"], { input });
  return new Set(
    linesOf(printed).flatMap((line) => (line.endsWith(" commit") ? [line.slice(0, line.indexOf(" "))] : [])),
  );
}

async function mirroredTags(git: Git): Promise<ReadonlyMap<string, string>> {
  const printed = await git.run(["for-each-ref", "--format=%(refname) %(objectname)", "refs/tags"]);
  return new Map(
    linesOf(printed).map((line): [string, string] => [
      line.slice(0, line.indexOf(" ")),
      line.slice(line.indexOf(" ") + 1),
    ]),
  );
}

function linesOf(printed: Buffer): readonly string[] {
  return printed
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "");
}
