/** A repository on disk with one commit by the real git, and a bare copy to clone from. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

export interface TestRepository extends AsyncDisposable {
  /** For everything that a test creates; removed with it. */
  readonly folder: string;
  readonly bare: string;
  readonly url: string;
  readonly sha: string;
}

const IDENTITY = {
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@example.test",
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "ada@example.test",
};

export function git(folder: string, ...args: readonly string[]): string {
  const env = { PATH: process.env["PATH"], GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1", ...IDENTITY };
  return execFileSync("git", ["-C", folder, "-c", "core.fsync=none", ...args], {
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  }).trim();
}

interface Origin {
  readonly bare: string;
  readonly sha: string;
}

/** Each kind is created once by the real git, then copied. */
const origins = new Map<string, Origin>();
const madeFolders: string[] = [];
process.once("exit", () => madeFolders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** `files` by path; a value that begins with `-> ` makes a symbolic link. */
export function makeRepository(files: Readonly<Record<string, string>>): TestRepository {
  const kind = JSON.stringify(files);
  const origin = origins.get(kind) ?? makeOrigin(files);
  origins.set(kind, origin);
  const folder = mkdtempSync(join(tmpdir(), "worker-"));
  const bare = join(folder, "origin.git");
  cpSync(origin.bare, bare, { recursive: true });
  return {
    folder,
    bare,
    url: pathToFileURL(bare).href,
    sha: origin.sha,
    async [Symbol.asyncDispose]() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function makeOrigin(files: Readonly<Record<string, string>>): Origin {
  const folder = mkdtempSync(join(tmpdir(), "origin-"));
  madeFolders.push(folder);
  const work = join(folder, "work");
  const bare = join(folder, "origin.git");
  mkdirSync(work);
  git(work, "init", "--quiet", "--template=", "--initial-branch=main");
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(work, path)), { recursive: true });
    if (text.startsWith("-> ")) symlinkSync(text.slice(3), join(work, path));
    else writeFileSync(join(work, path), text);
  }
  git(work, "add", "--all");
  git(work, "commit", "--quiet", "--message=First");
  git(folder, "clone", "--quiet", "--template=", "--bare", work, bare);
  return { bare, sha: git(bare, "rev-parse", "main") };
}

/** A shell script, because it runs a hundred times and starting Node costs thirty times as much. */
const SUM_TEST = `a=2 b=3
sum=$(($(sed -n 's/.*=> \\(.*\\);/\\1/p' sum.mjs)))
[ "$sum" -eq 5 ] || { echo "sum(2, 3) is $sum" >&2; exit 1; }
`;

/** A library whose sum subtracts, and a test that detects it. */
export const RED_FILES: Readonly<Record<string, string>> = {
  "sum.mjs": "export const sum = (a, b) => a - b;\n",
  "sum.test.sh": SUM_TEST,
  ".github/workflows/ci.yml": "on: push\n",
};

export const VERIFY = "sh sum.test.sh";
