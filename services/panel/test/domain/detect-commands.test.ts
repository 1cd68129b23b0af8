import assert from "node:assert/strict";
import { test } from "node:test";
import { detectCommands } from "../../src/repo-reachability/detect-commands.ts";

type Files = Readonly<Record<string, string>>;
type Row = readonly [name: string, files: Files, setup: string | null, verify: string | null];

const TEST = { scripts: { test: "node --test" } };
const DEPENDENCIES = { devDependencies: { tape: "^5.0.0" } };
const manifest = (...parts: readonly object[]) => JSON.stringify(Object.assign({}, ...parts));
const node = manifest(TEST, DEPENDENCIES);
const VENV = "python3 -m venv .venv && ";
const PIP = ".venv/bin/python -m pip install";
const VENV_PYTEST = ".venv/bin/python -m pytest";
const groups = '[project]\nname = "a"\n\n[dependency-groups]\ntests = [\n  "pytest",\n]\n[tool.pytest.ini_options]\n';

const rows: readonly Row[] = [
  ["package-lock.json", { "package.json": node, "package-lock.json": "{}" }, "npm ci", "npm test"],
  ["npm-shrinkwrap.json", { "package.json": node, "npm-shrinkwrap.json": "{}" }, "npm ci", "npm test"],
  ["dependencies without a lock file", { "package.json": node }, "npm install --no-package-lock", "npm test"],
  ["no dependencies", { "package.json": manifest(TEST), "package-lock.json": "{}" }, null, "npm test"],
  [
    "the placeholder of npm init",
    { "package.json": manifest({ scripts: { test: 'echo "Error: no test specified" && exit 1' } }) },
    null,
    null,
  ],
  ["dependencies and no test", { "package.json": manifest(DEPENDENCIES) }, "npm install --no-package-lock", null],
  [
    "pnpm 9 lock",
    { "package.json": node, "pnpm-lock.yaml": "lockfileVersion: '9.0'\n" },
    "npx --yes pnpm@10 install --frozen-lockfile",
    "npm test",
  ],
  [
    "pnpm 6 lock",
    { "package.json": node, "pnpm-lock.yaml": "lockfileVersion: '6.0'\n" },
    "npx --yes pnpm@8 install --frozen-lockfile",
    "npm test",
  ],
  [
    "pnpm 5 lock",
    { "package.json": node, "pnpm-lock.yaml": "lockfileVersion: 5.4\n" },
    "npx --yes pnpm@7 install --frozen-lockfile",
    "npm test",
  ],
  [
    "packageManager pnpm",
    {
      "package.json": manifest(TEST, DEPENDENCIES, { packageManager: "pnpm@9.15.4+sha512.abc" }),
      "pnpm-lock.yaml": "",
    },
    "npx --yes pnpm@9.15.4 install --frozen-lockfile",
    "npm test",
  ],
  [
    "packageManager without a lock file",
    { "package.json": manifest(TEST, DEPENDENCIES, { packageManager: "pnpm@9.15.4" }) },
    "npx --yes pnpm@9.15.4 install --no-lockfile",
    "npm test",
  ],
  [
    "a script that calls pnpm",
    { "package.json": manifest({ scripts: { test: "pnpm lint && pnpm unit" } }, DEPENDENCIES), "pnpm-lock.yaml": "" },
    "npx --yes pnpm@10 install --frozen-lockfile",
    "npx --yes pnpm@10 run test",
  ],
  [
    "packageManager with shell syntax is not used",
    { "package.json": manifest(TEST, DEPENDENCIES, { packageManager: "pnpm@9;id" }) },
    "npm install --no-package-lock",
    "npm test",
  ],
  [
    "yarn classic",
    { "package.json": node, "yarn.lock": "# yarn lockfile v1\n" },
    "npx --yes yarn@1 install --frozen-lockfile",
    "npm test",
  ],
  [
    "yarn berry",
    { "package.json": node, "yarn.lock": "__metadata:\n  version: 8\n" },
    "npx --yes @yarnpkg/cli-dist@4 install --immutable",
    "npx --yes @yarnpkg/cli-dist@4 run test",
  ],
  [
    "yarn berry with its own release",
    {
      "package.json": node,
      "yarn.lock": "__metadata:\n",
      ".yarnrc.yml": "nodeLinker: node-modules\nyarnPath: .yarn/releases/yarn-4.5.0.cjs\n",
    },
    "node ./.yarn/releases/yarn-4.5.0.cjs install --immutable",
    "npm test",
  ],
  [
    "a yarnPath outside the repository is not used",
    { "package.json": node, "yarn.lock": "", ".yarnrc.yml": "yarnPath: ../yarn.cjs\n" },
    "npx --yes @yarnpkg/cli-dist@4 install --immutable",
    "npx --yes @yarnpkg/cli-dist@4 run test",
  ],
  [
    "bun.lock",
    { "package.json": manifest({ scripts: { test: "bun test" } }, DEPENDENCIES), "bun.lock": "{}" },
    "npx --yes bun@1 install --frozen-lockfile",
    "npx --yes bun@1 run test",
  ],
  ["bun.lockb", { "package.json": node, "bun.lockb": "" }, "npx --yes bun@1 install --frozen-lockfile", "npm test"],
  [
    "npm and yarn locks: npm, which every worker has",
    { "package.json": node, "package-lock.json": "{}", "yarn.lock": "" },
    "npm ci",
    "npm test",
  ],
  [
    "npm workspaces with a test script in a member",
    {
      "package.json": manifest({ workspaces: ["packages/*"] }),
      "package-lock.json": "{}",
      "packages/a/package.json": manifest(TEST),
    },
    "npm ci",
    "npm test --workspaces --if-present",
  ],
  [
    "npm workspaces with a root script",
    { "package.json": manifest(TEST, { workspaces: { packages: ["a"] } }), "package-lock.json": "{}" },
    "npm ci",
    "npm test",
  ],
  [
    "pnpm workspace",
    {
      "package.json": "{}",
      "pnpm-lock.yaml": "",
      "pnpm-workspace.yaml": "packages:\n  - 'packages/*'\n",
      "packages/a/package.json": manifest(TEST),
    },
    "npx --yes pnpm@10 install --frozen-lockfile",
    "npx --yes pnpm@10 --recursive --if-present run test",
  ],
  ["uv", { "pyproject.toml": groups, "uv.lock": "" }, "uv sync --frozen --group tests", "uv run --no-sync pytest"],
  [
    "poetry",
    { "pyproject.toml": "[tool.poetry]\n[tool.pytest.ini_options]\n", "poetry.lock": "" },
    "POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction",
    VENV_PYTEST,
  ],
  [
    "requirements",
    { "requirements.txt": "six\n", "requirements-dev.txt": "pytest\n", "tests/test_a.py": "" },
    `${VENV}${PIP} -r requirements-dev.txt -r requirements.txt pytest`,
    VENV_PYTEST,
  ],
  [
    "pyproject with an extra",
    {
      "pyproject.toml": '[project]\nname = "a"\n[project.optional-dependencies]\ntest = ["pytest"]\n',
      "tests/test_a.py": "",
    },
    `${VENV}${PIP} -e '.[test]' pytest`,
    VENV_PYTEST,
  ],
  [
    "pyproject with a dependency group",
    { "pyproject.toml": groups },
    `${VENV}.venv/bin/python -m pip install --upgrade 'pip>=25.1' && ${PIP} -e . --group tests pytest`,
    VENV_PYTEST,
  ],
  ["setup.py", { "setup.py": "", "test_a.py": "" }, `${VENV}${PIP} -e . pytest`, VENV_PYTEST],
  ["pytest without a package", { "pyproject.toml": "[tool.pytest.ini_options]\n" }, null, "pytest"],
  ["Go with requirements", { "go.mod": "module a\nrequire b v1.0.0\n" }, "go mod download", "go test ./..."],
  ["Go without requirements", { "go.mod": "module a\n" }, null, "go test ./..."],
  [
    "Cargo with a lock file",
    { "Cargo.toml": "[dependencies]\n", "Cargo.lock": "" },
    "cargo fetch --locked",
    "cargo test",
  ],
  ["Cargo without dependencies", { "Cargo.toml": "[package]\n" }, null, "cargo test"],
  [
    "a Makefile over Go",
    { Makefile: "all:\n\ttrue\ntest: all\n", "go.mod": "require b v1\n" },
    "go mod download",
    "make test",
  ],
  ["a Node test before a Makefile", { "package.json": manifest(TEST), Makefile: "test:\n" }, null, "npm test"],
  ["a broken package.json", { "package.json": "{broken", Makefile: "test:\n" }, null, "make test"],
  [
    "a Go module whose package.json has no test",
    { "package.json": manifest(DEPENDENCIES), "go.mod": "module a\n" },
    null,
    "go test ./...",
  ],
  ["nothing that tells", { "README.md": "" }, null, null],
];

for (const [name, files, setup_cmd, verify_cmd] of rows)
  test(`detects the commands of a repository with ${name}`, () => {
    const members = Object.keys(files).filter((path) => path.startsWith("packages/"));
    const text = (path: string) => files[path] ?? "";
    const detected = detectCommands({
      names: new Set(Object.keys(files)),
      text,
      testedMembers: members,
      downloads: [],
    });
    assert.deepEqual(detected, { setup_cmd, verify_cmd });
  });
