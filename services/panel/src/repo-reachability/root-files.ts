import { GitError, type Git, type GitOptions } from "@triptych/git";
import { type RootFiles, workspaceGlobs } from "./detect-commands.ts";
import { DOWNLOADS, LOCKS_WITH_HOSTS } from "./detect-hosts.ts";

const READ = [
  ".npmrc",
  "package.json",
  "pnpm-workspace.yaml",
  "pnpm-lock.yaml",
  "yarn.lock",
  ".yarnrc.yml",
  "GNUmakefile",
  "Makefile",
  "makefile",
  "Cargo.toml",
  "go.mod",
  "pyproject.toml",
  "setup.cfg",
  "tox.ini",
];
const FILE_BYTES_MAX = 1024 * 1024;
const LOCK_BYTES_MAX = 32 * 1024 * 1024;
/** Enough to identify the tool that wrote a lock file. */
const HEAD_BYTES = 4096;
const LOCK_FILES = new Set(["pnpm-lock.yaml", "yarn.lock"]);
const GLOBS_MAX = 50;

export async function readRootFiles(git: Git, sha: string): Promise<RootFiles> {
  const names = new Set(await listed(git, ["ls-tree", "-z", "--name-only", sha]));
  for (const folder of ["test/", "tests/"])
    if (names.has(folder.slice(0, -1)))
      for (const name of await listed(git, ["ls-tree", "-z", "--name-only", sha, folder])) names.add(name);
  const texts = new Map<string, string>();
  for (const name of READ) if (names.has(name)) texts.set(name, await textOf(git, sha, name));
  const text = (name: string) => texts.get(name) ?? "";
  return {
    names,
    text,
    testedMembers: await testedMembers(git, sha, workspaceGlobs({ text })),
    downloads: await downloadsIn(git, sha, names),
  };
}

async function listed(git: Git, args: readonly string[], options: GitOptions = {}): Promise<readonly string[]> {
  const printed = (await git.run(args, options)).toString("utf8");
  return printed.split("\0").filter((name) => name !== "");
}

async function textOf(git: Git, sha: string, name: string): Promise<string> {
  const object = `${sha}:${name}`;
  try {
    const size = Number((await git.run(["cat-file", "-s", object])).toString("latin1"));
    const isLock = LOCK_FILES.has(name);
    if (size > (isLock ? LOCK_BYTES_MAX : FILE_BYTES_MAX)) return "";
    const bytes = await git.run(["cat-file", "blob", object]);
    return bytes.toString("utf8", 0, isLock ? HEAD_BYTES : bytes.length);
  } catch (error) {
    // A folder or submodule.
    if (error instanceof GitError) return "";
    throw error;
  }
}

async function testedMembers(git: Git, sha: string, globs: readonly string[]): Promise<readonly string[]> {
  if (globs.length === 0) return [];
  const paths = globs
    .slice(0, GLOBS_MAX)
    .map((glob) => `:(glob)${glob.replace(/^\.\//, "").replace(/\/$/, "")}/package.json`);
  try {
    const args = ["grep", "-z", "-l", "-E", String.raw`"test"[[:space:]]*:`, sha, "--", ...paths];
    return await listed(git, args, { environment: { GIT_LITERAL_PATHSPECS: "0" } });
  } catch (error) {
    // Exit code 1: no match; 128: an invalid glob.
    if (error instanceof GitError) return [];
    throw error;
  }
}

/** Lock files may be large, so `git grep` reads them and prints one short line per download. */
async function downloadsIn(git: Git, sha: string, names: ReadonlySet<string>): Promise<readonly string[]> {
  const locks = LOCKS_WITH_HOSTS.filter((name) => names.has(name));
  if (locks.length === 0) return [];
  try {
    const printed = await git.run(["grep", "-h", "-o", "-I", "-E", DOWNLOADS, sha, "--", ...locks]);
    return [...new Set(printed.toString("latin1").split("\n"))];
  } catch (error) {
    // Exit code 1: no match.
    if (error instanceof GitError) return [];
    throw error;
  }
}
