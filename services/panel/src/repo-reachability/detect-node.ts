/** Other package managers run by `npx --yes name@version`: a worker with Node has npm, rarely the others. */
import { isRecord } from "@triptych/util";
import type { DetectedCommands, RootFiles } from "./detect-commands.ts";

interface Manifest {
  readonly scripts: Readonly<Record<string, unknown>>;
  readonly packageManager: string;
  readonly hasDependencies: boolean;
  /** Globs of workspace members of npm, yarn and bun. */
  readonly workspaces: readonly string[];
}

interface Manager {
  /** Command that runs it where only npm is installed. */
  readonly program: string;
  readonly name: "npm" | "pnpm" | "yarn" | "bun";
  readonly install: string;
  /** `npm test` runs the same script with the same `node_modules/.bin` in the path. Plug'n'Play has no such folder. */
  readonly runsUnderNpm: boolean;
}

export function detectNode(files: RootFiles): DetectedCommands | null {
  const manifest = readManifest(files.text("package.json"));
  if (manifest === null) return null;
  const manager = managerOf(files, manifest);
  const needsInstall = manifest.hasDependencies || workspaceGlobs(files).length > 0;
  return { setup_cmd: needsInstall ? manager.install : null, verify_cmd: testCommand(files, manifest, manager) };
}

export function workspaceGlobs({ text }: Pick<RootFiles, "text">): readonly string[] {
  const own = readManifest(text("package.json"))?.workspaces ?? [];
  const [, list = ""] = /^packages:\s*\n((?:[ \t]*(?:-.*|#.*)?\n?)*)/m.exec(text("pnpm-workspace.yaml")) ?? [];
  const ofPnpm = [...list.matchAll(/^[ \t]*-[ \t]*["']?([^"'#\s]+)/gm)].flatMap(([, glob = ""]) => glob);
  return [...own, ...ofPnpm].filter((glob) => !glob.startsWith("!"));
}

function testCommand({ testedMembers }: RootFiles, { scripts }: Manifest, manager: Manager): string | null {
  const script = scripts["test"];
  // The placeholder of `npm init` does not count as a test.
  if (typeof script === "string" && script.trim() !== "" && !script.includes("no test specified")) {
    const callsManager = manager.name !== "npm" && new RegExp(`\\b${manager.name}\\b`).test(script);
    return manager.runsUnderNpm && !callsManager ? "npm test" : `${manager.program} run test`;
  }
  if (testedMembers.length === 0) return null;
  if (manager.name === "pnpm") return `${manager.program} --recursive --if-present run test`;
  return manager.runsUnderNpm ? "npm test --workspaces --if-present" : null;
}

const LOCKS = [
  ["pnpm-workspace.yaml", "pnpm"],
  ["package-lock.json", "npm"],
  ["npm-shrinkwrap.json", "npm"],
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
] as const;

function managerOf(files: RootFiles, { packageManager }: Manifest): Manager {
  const [, named, version] = /^(npm|pnpm|yarn|bun)@(\d+(?:\.\d+){0,2}(?:-[\w.]+)?)(?:\+|$)/.exec(packageManager) ?? [];
  const name = named ?? LOCKS.find(([lock]) => files.names.has(lock))?.[1];
  if (name === "pnpm") return pnpm(files, version);
  if (name === "yarn") return yarn(files, version);
  if (name === "bun") return bun(files, version);
  return npm(files);
}

/** Writes no lock file: a run starts from the files of its commit only. */
function npm({ names }: RootFiles): Manager {
  const isLocked = names.has("package-lock.json") || names.has("npm-shrinkwrap.json");
  const install = isLocked ? "npm ci" : "npm install --no-package-lock";
  return { name: "npm", program: "npm", install, runsUnderNpm: true };
}

function pnpm({ names, text }: RootFiles, version: string | undefined): Manager {
  const [, lockVersion = ""] = /^lockfileVersion:\s*["']?(\d+)/m.exec(text("pnpm-lock.yaml")) ?? [];
  const program = `npx --yes pnpm@${version ?? PNPM_OF_LOCK[lockVersion] ?? PNPM_MAJOR}`;
  const flag = names.has("pnpm-lock.yaml") ? "--frozen-lockfile" : "--no-lockfile";
  return { name: "pnpm", program, install: `${program} install ${flag}`, runsUnderNpm: true };
}

const PNPM_MAJOR = "10";
const PNPM_OF_LOCK: Readonly<Record<string, string>> = { "5": "7", "6": "8" };

function yarn(files: RootFiles, version: string | undefined): Manager {
  const settings = files.text(".yarnrc.yml");
  const isLocked = files.names.has("yarn.lock");
  const isBerry = settings !== "" || /^__metadata:/m.test(files.text("yarn.lock")) || /^[2-9]/.test(version ?? "");
  if (!isBerry) {
    const program = `npx --yes yarn@${version ?? "1"}`;
    const flag = isLocked ? "--frozen-lockfile" : "--no-lockfile";
    return { name: "yarn", program, install: `${program} install ${flag}`, runsUnderNpm: true };
  }
  const [, path] = /^yarnPath:\s*["']?((?!\/|.*\.\.)[\w./-]+\.c?js)["']?\s*$/m.exec(settings) ?? [];
  const program = path === undefined ? `npx --yes @yarnpkg/cli-dist@${version ?? "4"}` : `node ./${path}`;
  const install = `${program} install ${isLocked ? "--immutable" : "--no-immutable"}`;
  return { name: "yarn", program, install, runsUnderNpm: /^nodeLinker:\s*["']?node-modules/m.test(settings) };
}

function bun({ names }: RootFiles, version: string | undefined): Manager {
  const program = `npx --yes bun@${version ?? "1"}`;
  const isLocked = names.has("bun.lock") || names.has("bun.lockb");
  return {
    name: "bun",
    program,
    install: `${program} install ${isLocked ? "--frozen-lockfile" : "--no-save"}`,
    runsUnderNpm: true,
  };
}

const DEPENDENCIES = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"] as const;

/** Null for an invalid manifest. */
function readManifest(text: string): Manifest | null {
  const value = parse(text);
  if (!isRecord(value)) return null;
  const { scripts, packageManager, workspaces } = value;
  const globs: unknown = isRecord(workspaces) ? workspaces["packages"] : workspaces;
  return {
    scripts: isRecord(scripts) ? scripts : {},
    packageManager: typeof packageManager === "string" ? packageManager : "",
    hasDependencies: DEPENDENCIES.some((name) => Object.keys(value[name] ?? {}).length > 0),
    workspaces: Array.isArray(globs) ? globs.filter((glob) => typeof glob === "string") : [],
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
