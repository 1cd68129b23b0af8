/** Detects setup and test command from the root files of a commit. Pure. */
import { isRecord } from "@triptych/util";

export interface RootFiles {
  /** Names at the root, and those in `test/` and `tests/` with their folder. */
  readonly names: ReadonlySet<string>;
  /** Text of a root file; empty if missing or too large. */
  readonly text: (name: string) => string;
  /** Manifests of workspace members that have a test script. */
  readonly testedMembers: readonly string[];
  /** Unique prefixes of download URLs in lock files. */
  readonly downloads: readonly string[];
}

export interface DetectedCommands {
  readonly setup_cmd: string | null;
  readonly verify_cmd: string | null;
}

type Detect = (files: RootFiles) => DetectedCommands | null;

/** The order matters: a Makefile often wraps tools of Go or Rust, while Node or Python tests need what their own setup installs. */
const ECOSYSTEMS: readonly Detect[] = [detectNode, detectPython, detectMake, detectCargo, detectGo];

/** The first ecosystem with a test command; else the first with a setup. */
export function detectCommands(files: RootFiles): DetectedCommands {
  const detected = ECOSYSTEMS.map((detect) => detect(files)).filter((commands) => commands !== null);
  const setup = detected.find(({ setup_cmd }) => setup_cmd !== null)?.setup_cmd ?? null;
  const tested = detected.find(({ verify_cmd }) => verify_cmd !== null);
  if (tested === undefined) return { setup_cmd: setup, verify_cmd: null };
  // A Makefile provides only the test command.
  return tested.verify_cmd === "make test" ? { ...tested, setup_cmd: setup } : tested;
}

function detectMake({ text }: RootFiles): DetectedCommands | null {
  const hasTarget = ["GNUmakefile", "Makefile", "makefile"].some((name) => /^test\s*:/m.test(text(name)));
  return hasTarget ? { setup_cmd: null, verify_cmd: "make test" } : null;
}

function detectCargo({ names, text }: RootFiles): DetectedCommands | null {
  if (!names.has("Cargo.toml")) return null;
  const hasDependencies = /^\[(.*\.)?((dev|build)-)?dependencies\b|^\[workspace\]/m.test(text("Cargo.toml"));
  const fetch = names.has("Cargo.lock") ? "cargo fetch --locked" : "cargo fetch";
  return { setup_cmd: hasDependencies ? fetch : null, verify_cmd: "cargo test" };
}

function detectGo({ names, text }: RootFiles): DetectedCommands | null {
  if (!names.has("go.mod")) return null;
  const hasDependencies = /^\s*require\b/m.test(text("go.mod"));
  return { setup_cmd: hasDependencies ? "go mod download" : null, verify_cmd: "go test ./..." };
}

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

/** `npm install` must not write a lock file, because a run starts from the files of its commit only. */
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

const PYTHON = ".venv/bin/python";
const REQUIREMENTS = /^(requirements([-_.](dev|tests?|testing))?|(dev|tests?)[-_]requirements)\.txt$/;
/** Extras and dependency groups: the first match wins. */
const TEST_GROUPS = ["test", "tests", "testing", "dev"];

export function detectPython(files: RootFiles): DetectedCommands | null {
  const { names } = files;
  const pyproject = files.text("pyproject.toml");
  const requirements = [...names].filter((name) => REQUIREMENTS.test(name)).toSorted();
  const isPackage =
    /^\[(project|build-system|tool\.poetry)\]/m.test(pyproject) || names.has("setup.py") || names.has("setup.cfg");
  const isTested = usesPytest(files);
  if (!isPackage && requirements.length === 0) return isTested ? { setup_cmd: null, verify_cmd: "pytest" } : null;
  const choice = {
    extra: testGroup(pyproject, "project.optional-dependencies"),
    group: testGroup(pyproject, "dependency-groups"),
  };
  if (names.has("uv.lock")) {
    const setup = [
      "uv sync --frozen",
      choice.extra && `--extra ${choice.extra}`,
      choice.group && `--group ${choice.group}`,
    ];
    return { setup_cmd: setup.filter(Boolean).join(" "), verify_cmd: isTested ? "uv run --no-sync pytest" : null };
  }
  const verify_cmd = isTested ? `${PYTHON} -m pytest` : null;
  if (names.has("poetry.lock"))
    return { setup_cmd: "POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction", verify_cmd };
  const install = [
    ...requirements.map((name) => `-r ${name}`),
    ...(isPackage ? [choice.extra === null ? "-e ." : `-e '.[${choice.extra}]'`] : []),
    ...(choice.group === null ? [] : [`--group ${choice.group}`]),
    ...(isTested ? ["pytest"] : []),
  ].join(" ");
  // Debian's pip is older than 25.1, the first with groups.
  const upgrade = choice.group === null ? [] : [`${PYTHON} -m pip install --upgrade 'pip>=25.1'`];
  const setup = ["python3 -m venv .venv", ...upgrade, `${PYTHON} -m pip install ${install}`];
  return { setup_cmd: setup.join(" && "), verify_cmd };
}

function usesPytest({ names, text }: RootFiles): boolean {
  if (["pytest.ini", "conftest.py", "tests/conftest.py", "test/conftest.py"].some((name) => names.has(name)))
    return true;
  if (/^\[tool\.pytest/m.test(text("pyproject.toml"))) return true;
  if (/^\[tool:pytest\]/m.test(text("setup.cfg")) || /^\[pytest\]/m.test(text("tox.ini"))) return true;
  return [...names].some((name) => /^((tests?\/)(test_[^/]+|[^/]+_test)|test_[^/]+)\.py$/.test(name));
}

/** Key of the table's test group. Matches single lines: keys of these tables are never nested. */
function testGroup(pyproject: string, table: string): string | null {
  const [, body = ""] =
    new RegExp(`^\\[${table.replaceAll(".", "\\.")}\\]\\s*\\n((?:(?!\\[[\\w.-]+\\]\\s*$).*\\n?)*)`, "m").exec(
      pyproject,
    ) ?? [];
  return TEST_GROUPS.find((name) => new RegExp(`^${name}\\s*=`, "m").test(body)) ?? null;
}
