/** The package manager commands that only rewrite a lock file: no install, no scripts. */
import { escapeRegExp } from "../reading/lock-files.ts";
import type { Manifest } from "../reading/npm-packages.ts";

export interface LockTool {
  /** The command, if it is installed. */
  readonly program: string;
  /** The package that npm fetches if the command is not installed: name and version. */
  readonly spec: string;
  /** The required major version, because others write other formats; null if any version works. */
  readonly major: number | null;
  readonly args: (registry: readonly string[], temporary: string) => readonly string[];
  /** `registry`: null if the repository configures its own. */
  readonly environment: (registry: string | null, temporary: string) => Readonly<Record<string, string>>;
  /** Options for a minimum age of the releases that it adds; absent if the tool has none. */
  readonly ageArgs?: (days: number, now: number) => readonly string[];
  /** Replaces an exact version in the text of the lock file by its range, for tools that would resolve a new range again. */
  readonly renameRange?: (
    lock: string,
    pin: { readonly name: string; readonly version: string; readonly range: string },
  ) => string;
}

const NO_ENVIRONMENT = () => ({});

/** Null if the repository has no lock file. */
export function lockToolOf({ lock, packageManager }: Manifest): LockTool | null {
  if (lock === null) return null;
  const [, named, pinned] = /^(npm|pnpm|yarn|bun)@(\d[^+]*)/.exec(packageManager ?? "") ?? [];
  const version = named === lock.manager ? pinned : undefined;
  switch (lock.manager) {
    case "npm":
      return NPM;
    case "pnpm":
      return pnpm(version ?? pnpmVersionOf(lock.head));
    case "yarn":
      return lock.head.includes("# yarn lockfile v1") ? YARN_CLASSIC : yarn(version ?? "4");
    case "bun":
      return { ...BUN, spec: `bun@${version ?? "1"}` };
  }
}

const NPM: LockTool = {
  program: "npm",
  spec: "npm",
  major: null,
  args: (registry) => ["install", "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund", ...registry],
  environment: NO_ENVIRONMENT,
  ageArgs: (days, now) => [`--before=${new Date(now - days * DAY_MS).toISOString()}`],
};

const DAY_MS = 86_400_000;

function pnpm(version: string): LockTool {
  return {
    program: "pnpm",
    spec: `pnpm@${version}`,
    major: majorOf(version),
    args: (registry) => ["install", "--lockfile-only", "--ignore-scripts", "--no-frozen-lockfile", ...registry],
    environment: NO_ENVIRONMENT,
    // In minutes; pnpm before 10.16 ignores it.
    ageArgs: (days) => [`--config.minimumReleaseAge=${days * 24 * 60}`],
  };
}

/** The newest pnpm that writes the format of the file. */
function pnpmVersionOf(head: string): string {
  const format = Number(/lockfileVersion: '?(\d+(?:\.\d+)?)/.exec(head)?.[1] ?? "9");
  return format >= 9 ? "10" : format >= 6 ? "8" : "7";
}

/** Yarn 1 always installs, so it gets a temporary folder. */
const YARN_CLASSIC: LockTool = {
  program: "yarn",
  spec: "yarn@1",
  major: 1,
  args: (registry, temporary) => [
    "install",
    "--ignore-scripts",
    "--non-interactive",
    "--no-progress",
    "--modules-folder",
    `${temporary}/modules`,
    ...registry,
  ],
  environment: NO_ENVIRONMENT,
  renameRange: (lock, { name, version, range }) => renamed(lock, `${name}@${version}`, `${name}@${range}`),
};

/** In the keys of entries: `a@1.2.3, a@^1.1.0:`. */
function renamed(lock: string, before: string, after: string): string {
  const token = new RegExp(`(^|[\\s"])${escapeRegExp(before)}(?=["',:])`, "g");
  return lock.replaceAll(/^\S.*:$/gm, (key) => key.replaceAll(token, (_, start: string) => start + after));
}

function yarn(version: string): LockTool {
  return {
    program: "yarn",
    spec: `@yarnpkg/cli-dist@${version}`,
    major: majorOf(version),
    args: () => ["install", "--mode=update-lockfile"],
    environment: (registry, temporary) => ({
      YARN_ENABLE_IMMUTABLE_INSTALLS: "false",
      YARN_ENABLE_SCRIPTS: "false",
      YARN_ENABLE_TELEMETRY: "false",
      // Ignores a yarn release in the repository, because the worker must not run it.
      YARN_IGNORE_PATH: "true",
      // Without this, the file is written into the repository.
      YARN_INSTALL_STATE_PATH: `${temporary}/install-state.gz`,
      ...(registry !== null && { YARN_NPM_REGISTRY_SERVER: registry }),
      ...(registry?.startsWith("http:") && { YARN_UNSAFE_HTTP_WHITELIST: URL.parse(registry)?.hostname ?? "" }),
    }),
    renameRange: (lock, { name, version, range }) => renamed(lock, `${name}@npm:${version}`, `${name}@npm:${range}`),
  };
}

const BUN: LockTool = {
  program: "bun",
  spec: "bun@1",
  major: 1,
  args: (registry) => ["install", "--lockfile-only", "--ignore-scripts", ...registry],
  environment: NO_ENVIRONMENT,
};

function majorOf(version: string): number {
  return Number.parseInt(version, 10);
}
