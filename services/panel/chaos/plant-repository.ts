import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";

/** Logs every later branch update, which reveals a second push. */
export function plantRepository(bare: string): void {
  const git = (...args: string[]) =>
    execFileSync("git", args, { env: GIT_ENVIRONMENT, stdio: "pipe", input: "" }).toString().trim();
  if (!existsSync(bare)) git("init", "--quiet", "--bare", "--initial-branch=main", bare);
  git("-C", bare, "config", "core.logAllRefUpdates", "always");
  const tree = git("-C", bare, "mktree");
  git("-C", bare, "update-ref", "refs/heads/main", git("-C", bare, "commit-tree", tree, "-m", "Begin"));
}

const GIT_ENVIRONMENT = {
  PATH: process.env["PATH"],
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "Bench",
  GIT_AUTHOR_EMAIL: "bench@example.test",
  GIT_COMMITTER_NAME: "Bench",
  GIT_COMMITTER_EMAIL: "bench@example.test",
};
