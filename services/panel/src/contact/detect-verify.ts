/** How a repository checks itself, by the files at its root. The first that fits; null where nothing tells. */
import { GitError, type Git } from "../git/git.ts";

export async function detectVerify(git: Git, sha: string): Promise<string | null> {
  const names = new Set((await git.run(["ls-tree", "-z", "--name-only", sha])).toString("utf8").split("\0"));
  const read = async (name: string) => (names.has(name) ? textOf(git, `${sha}:${name}`) : "");
  if (hasTestScript(await read("package.json"))) return "npm test";
  for (const name of ["GNUmakefile", "Makefile", "makefile"])
    if (/^test\s*:/m.test(await read(name))) return "make test";
  if (names.has("Cargo.toml")) return "cargo test";
  if (names.has("go.mod")) return "go test ./...";
  const isPytest =
    names.has("pytest.ini") || names.has("conftest.py") || /^\[tool\.pytest/m.test(await read("pyproject.toml"));
  return isPytest ? "pytest" : null;
}

const LARGEST = 1024 * 1024;

async function textOf(git: Git, object: string): Promise<string> {
  const size = Number((await git.run(["cat-file", "-s", object])).toString("latin1"));
  if (size > LARGEST) return "";
  return git.run(["cat-file", "blob", object]).then(
    (bytes) => bytes.toString("utf8"),
    (error: unknown) => {
      // A folder or another repository of that name.
      if (error instanceof GitError) return "";
      throw error;
    },
  );
}

/** What `npm init` writes is no test. */
function hasTestScript(text: string): boolean {
  try {
    const { scripts }: { scripts?: { test?: unknown } } = JSON.parse(text) ?? {};
    return typeof scripts?.test === "string" && !scripts.test.includes("no test specified");
  } catch {
    return false;
  }
}
