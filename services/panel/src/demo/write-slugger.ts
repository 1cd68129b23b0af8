/**
 * Writes the demo repository, a small library with known issues. Its history has fixed dates, so that ages and commit ids are the same on
 * every machine.
 */
import { access, cp, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runProgram } from "@triptych/process-spawner";

const SOURCE = fileURLToPath(new URL("../../demo/slugger/", import.meta.url));
/** Generous for a few files, even on a loaded machine. */
const TIMEOUT_MS = 30_000;
const OUTPUT_BYTES = 1 << 20;

const PAST = [
  {
    at: "2025-02-03T09:12:00Z",
    message: "Slugs out of titles",
    paths: ["README.md", "package.json", "docs", "src", "test/slug.test.js"],
  },
  { at: "2025-11-18T16:40:00Z", message: "Names of files", paths: ["test/filename.test.js"] },
  {
    at: "2026-06-09T08:05:00Z",
    message: "foldMarks() is the name now; a test says who still calls the old one",
    paths: ["codemods", "test/deprecations.test.js"],
  },
] as const;

/** Creates the bare repository at `path` atomically, unless it exists. `searchPath`: PATH for finding git. */
export async function writeSlugger(path: string, searchPath: string): Promise<void> {
  if (await isThere(path)) return;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(dirname(path), ".slugger-"));
  try {
    const [tree, bare] = [join(folder, "tree"), join(folder, "slugger.git")];
    await mkdir(tree);
    const git = gitOf(searchPath);
    await git(["init", "--quiet", "--bare", "--template=", "--initial-branch=main", bare], { cwd: tree });
    const inTree = ["--git-dir", bare, "--work-tree", tree];
    for (const { at, message, paths } of PAST) {
      for (const path of paths) await cp(join(SOURCE, path), join(tree, path), { recursive: true });
      await git([...inTree, "add", "--", ...paths], { cwd: tree });
      await git([...inTree, "commit", "--quiet", "--no-verify", "--no-gpg-sign", "-m", message], { cwd: tree, at });
    }
    await rm(join(bare, "index"));
    await rename(bare, path).catch(async (error: unknown) => {
      // Another process was faster: its repository is identical.
      if (!(await isThere(path))) throw error;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Ignores system and user configuration. */
function gitOf(searchPath: string) {
  return async (
    args: readonly string[],
    { cwd, at = "" }: { readonly cwd: string; readonly at?: string },
  ): Promise<void> => {
    const who = { NAME: "Slugger", EMAIL: "slugger@example.test", DATE: at };
    const people = ["AUTHOR", "COMMITTER"].flatMap((role) =>
      Object.entries(who).map(([name, value]) => [`GIT_${role}_${name}`, value] as const),
    );
    const bare = { PATH: searchPath, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" };
    const environment = { ...bare, ...Object.fromEntries(people) };
    const request = {
      program: "git",
      args,
      folder: cwd,
      environment,
      timeoutMs: TIMEOUT_MS,
      outputBytes: OUTPUT_BYTES,
    };
    const ended = await runProgram(request);
    if (ended.how === "exited" && ended.code === 0) return;
    const why = ended.how === "not_started" ? ended.why : ended.stderr.trim();
    throw new Error(`The demo repository could not be created: git ${ended.how}: ${why}`);
  };
}
