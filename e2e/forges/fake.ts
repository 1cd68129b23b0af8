/** Our own fake forge with a repository that has `main` and two branches of work. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startForge, type Dialect, type GitHubAppOptions } from "../../packages/fake-forge/src/index.ts";

export const TOKEN = "forge-token-of-the-test";

export async function openFake(dialect: Dialect, app?: GitHubAppOptions) {
  const folder = mkdtempSync(join(tmpdir(), "e2e-forges-"));
  const forge = await startForge({ folder, token: TOKEN, dialect, ...(app && { app }) });
  const bare = join(folder, "acme", "sum.git");
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-C", bare, ...IDENTITY, ...args])
      .toString()
      .trim();
  const tree = git("write-tree");
  const main = git("commit-tree", "-m", "First", tree);
  git("update-ref", "refs/heads/main", main);
  for (const branch of ["maint/one", "maint/two"])
    git("update-ref", `refs/heads/${branch}`, git("commit-tree", "-p", main, "-m", branch, tree));
  return {
    forge,
    head: main,
    async [Symbol.asyncDispose]() {
      await forge[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const IDENTITY = ["-c", "user.name=Ada", "-c", "user.email=ada@example.test"];
