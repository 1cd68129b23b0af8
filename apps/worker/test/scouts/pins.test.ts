/** Pins of GitHub Actions, base images and Python packages: by real git, a fake skopeo, and a loopback package index. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { AT_BASE, GATE_AT } from "../../src/scouts/gate-command/gate-protocol.ts";
import { askGate } from "../../src/scouts/gate-command/gate.ts";
import { readGateLine } from "../../src/scouts/gate-command/gate-protocol.ts";
import { planRepair } from "../../src/scouts/mend/plan-repair.ts";
import { networkAccessOf } from "../../src/scouts/network-access.ts";
import { readPins } from "../../src/scouts/reading/pins.ts";
import type { Found } from "../../src/scouts/scan/check.ts";
import { depsOutdated } from "../../src/scouts/scan/deps-outdated.ts";
import { inFolder, inFolderPath, type Files } from "../support/inspect.ts";
import { NO_TOOLS } from "../support/no-tools.ts";

const TODAY = Date.UTC(2026, 10, 27);
const DAY_MS = 86_400_000;
const daysAgo = (days: number) => new Date(TODAY - days * DAY_MS).toISOString();
const digest = (digit: string) => `sha256:${digit.repeat(64)}`;

interface Machine {
  readonly folder: string;
  readonly git: boolean;
  readonly path: string;
}

/** A folder as PATH, with these programs and, if wanted, git and a shell. */
function openMachine(scripts: Readonly<Record<string, string>>, linked: readonly string[] = []): Machine & Disposable {
  const folder = mkdtempSync(join(tmpdir(), "tools-"));
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  for (const name of linked) {
    const file = execFileSync("/bin/sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim();
    writeFileSync(join(folder, name), `#!/bin/sh\nexec ${file} "$@"\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return {
    folder,
    git: linked.includes("git"),
    path: folder,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

/** A repository of an action, with a commit and a tag per version, each the given number of days old. */
function makeAction(
  root: string,
  name: string,
  versions: Readonly<Record<string, number>>,
): Readonly<Record<string, string>> {
  const bare = join(root, `${name}.git`);
  mkdirSync(bare, { recursive: true });
  const run = (args: readonly string[], date?: string) =>
    execFileSync("git", args, {
      cwd: bare,
      encoding: "utf8",
      env: {
        PATH: process.env["PATH"],
        GIT_CONFIG_GLOBAL: "/dev/null",
        ...Object.fromEntries(
          ["AUTHOR", "COMMITTER"].flatMap((who) => [
            [`GIT_${who}_NAME`, "A"],
            [`GIT_${who}_EMAIL`, "a@example.test"],
            ...(date === undefined ? [] : [[`GIT_${who}_DATE`, date]]),
          ]),
        ),
      },
    }).trim();
  run(["init", "--quiet", "--bare", "."]);
  const tree = run(["mktree"]);
  return Object.fromEntries(
    Object.entries(versions).map(([tag, days]) => {
      const sha = run(["commit-tree", tree, "-m", tag], daysAgo(days));
      // The tag is annotated, as many are, so the pin must be the commit, not the tag object.
      run(["tag", "--annotate", "-m", tag, tag, sha], daysAgo(days));
      return [tag, sha];
    }),
  );
}

interface Scan {
  readonly path: string;
  readonly actionsUrl?: string;
  readonly days?: number;
  readonly group?: "none" | "minor" | "all";
  readonly isProtected?: (path: string) => boolean;
}

async function scanned(
  files: Files,
  { path, actionsUrl = "", days = 7, group = "minor", isProtected = () => false }: Scan,
): Promise<Found> {
  const { tools } = networkAccessOf({ PATH: path });
  return inFolder(files, (tree) =>
    depsOutdated.run({
      ...NO_TOOLS,
      tree,
      verifyCommand: null,
      verifyTimeoutS: 60,
      verifyTwice: async () => [],
      blame: async () => new Map(),
      today: TODAY,
      registry: () => Promise.reject(new Error("the npm registry is unreachable")),
      fetch: null,
      deps: { minReleaseAgeDays: days, group },
      tools: { ...tools, fetch, actionsUrl },
      isProtected,
    }),
  );
}

const gatesOf = ({ findings }: Found) => findings.map(({ gate }) => gate.command.replace("triptych gate ", ""));

const workflow = (...uses: readonly string[]) =>
  `name: CI\non: [push]\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n${uses.map((one) => `      - uses: ${one}\n`).join("")}      - run: npm test\n`;

test("reads pins of actions, images and Python packages, and nothing that is not pinned", async () => {
  const sha = "a".repeat(40);
  const files: Files = {
    ".github/workflows/ci.yml": workflow(
      `actions/checkout@${sha} # v4.1.0`,
      `"github/codeql-action/init@${sha}" # tag=v3`,
      "actions/cache@v4",
      `./local`,
      `acme/no-comment@${sha}`,
    ),
    Dockerfile: `FROM node:22@${digest("a")} AS build\nFROM --platform=linux/amd64 ghcr.io/acme/base:1.2@${digest("b")}\nFROM build\nFROM node:22\n`,
    "requirements.txt": `# pins\nrequests==2.31.0\nFlask[async] == 3.0.0 ; python_version > "3.8" # web\nnumpy>=1.20\nattrs==23.1.*\nurllib3==2.0.0 --hash=sha256:aa\n-e .\n`,
    "pyproject.toml": `[project]\ndependencies = [\n  "httpx==0.25.0",\n  "rich>=13",\n]\n[project.optional-dependencies]\ndev = ["pytest==7.4.0"]\n`,
  };
  const pins = await inFolder(files, async (tree) =>
    (await Promise.all(Object.keys(files).map((path) => readPins(tree, path)))).flat(),
  );
  assert.deepEqual(
    pins.map(({ kind, name, value, label, line }) => [kind, name, value, label, line]),
    [
      ["action", "actions/checkout", sha, "v4.1.0", 7],
      ["action", "github/codeql-action", sha, "v3", 8],
      ["image", "node:22", digest("a"), null, 1],
      ["image", "ghcr.io/acme/base:1.2", digest("b"), null, 2],
      ["python", "requests", "2.31.0", null, 2],
      ["python", "Flask", "3.0.0", null, 3],
      ["python", "httpx", "0.25.0", null, 3],
      ["python", "pytest", "7.4.0", null, 7],
    ],
  );
});

test("reports ecosystems with a missing tool and protected files as skipped", async () => {
  using machine = openMachine({});
  const files: Files = {
    ".github/workflows/ci.yml": workflow(`actions/checkout@${"a".repeat(40)} # v4.1.0`),
    Dockerfile: `FROM node:22@${digest("a")}\n`,
    "requirements.txt": "requests==2.31.0\n",
  };
  assert.deepEqual((await scanned(files, machine)).missed, [
    "GitHub Actions were skipped: this worker has no git",
    "base images were skipped: this worker has no skopeo",
    "Python packages were skipped: this worker has no pip3 or pip or uv",
  ]);
  const isProtected = (path: string) => path.startsWith(".github/");
  assert.deepEqual(
    (
      await scanned(
        { ".github/workflows/ci.yml": files[".github/workflows/ci.yml"] ?? "" },
        { ...machine, isProtected },
      )
    ).missed,
    ["pins of .github/workflows/ci.yml were left alone: it is a protected path"],
  );
});

test("proposes the newest commit of an action that is old enough, compatible ones together, with a gate that turns from red to green", async () => {
  using machine = openMachine({}, ["git", "mktemp", "rm"]);
  const checkout = makeAction(machine.folder, "actions/checkout", {
    "v4.1.0": 400,
    "v4.2.0": 100,
    "v4.3.0": 2,
    "v5.0.0": 50,
  });
  const node = makeAction(machine.folder, "actions/setup-node", { "v4.0.0": 300, "v4.4.0": 60 });
  const files: Files = {
    ".github/workflows/ci.yml": workflow(
      `actions/checkout@${checkout["v4.1.0"]} # v4.1.0`,
      `actions/setup-node@${node["v4.0.0"]} # v4`,
    ),
    ".github/workflows/release.yml": workflow(`actions/checkout@${checkout["v4.1.0"]} # v4.1.0`),
  };
  const found = await scanned(files, { ...machine, actionsUrl: `file://${machine.folder}` });
  assert.deepEqual(
    found.findings.map(({ title, risk }) => [title, risk]),
    [
      ["Update actions/checkout to v5.0.0", "medium"],
      ["Update 2 pinned GitHub Actions", "low"],
    ],
    JSON.stringify(found),
  );
  const command = found.findings[1]?.gate.command ?? "";
  const args = readGateLine(command) ?? [];
  const ask = (tree: Files, environment: Readonly<Record<string, string>> = {}) =>
    inFolderPath(tree, (folder) => askGate(args, { folder, environment }));
  const before = await ask(files);
  assert.equal(before.code, 1);
  assert.match(before.message, /\.github\/workflows\/ci\.yml, line 7: actions\/checkout is pinned to/);
  const repair = await inFolder(files, (tree) => planRepair(command, { tree, year: 2030 }));
  const repaired = Object.fromEntries((repair?.edits ?? []).map(({ path, text }) => [path, text]));
  assert.deepEqual(repaired, {
    ".github/workflows/ci.yml": workflow(
      `actions/checkout@${checkout["v4.2.0"]} # v4.2.0`,
      `actions/setup-node@${node["v4.4.0"]} # v4.4.0`,
    ),
    ".github/workflows/release.yml": workflow(`actions/checkout@${checkout["v4.2.0"]} # v4.2.0`),
  });
  assert.equal((await ask({ ...files, ...repaired })).code, 0);
  // Updating one file of the group is not enough.
  assert.equal(
    (await ask({ ...repaired, ".github/workflows/release.yml": files[".github/workflows/release.yml"] ?? "" })).code,
    1,
  );
  // A younger pin by the maintainers themselves counts as done at the base; from a run it is refused.
  const young = Object.fromEntries(
    Object.entries(repaired).map(([path, text]) => [
      path,
      text.replaceAll(checkout["v4.2.0"] ?? "", checkout["v4.3.0"] ?? ""),
    ]),
  );
  assert.equal((await ask(young)).code, 1);
  assert.equal((await ask(young, { [GATE_AT]: AT_BASE })).code, 0);
});

test("proposes a new digest of the same tag, if it is old enough", async () => {
  const inspected = (days: number) =>
    `echo '{"Name": "docker.io/library/node", "Digest": "${digest("c")}", "Created": "${daysAgo(days)}"}'`;
  const files: Files = { Dockerfile: `FROM node:22@${digest("a")} AS build\nRUN true\n` };
  using old = openMachine({ skopeo: inspected(9) });
  assert.deepEqual(gatesOf(await scanned(files, old)), [
    `pinned node:22 ${digest("c")} --from ${digest("a")} --in Dockerfile`,
  ]);
  using young = openMachine({ skopeo: inspected(2) });
  assert.deepEqual(gatesOf(await scanned(files, young)), []);
  assert.equal(gatesOf(await scanned(files, { ...young, days: 0 })).length, 1);
  using broken = openMachine({ skopeo: "echo no >&2; exit 1" });
  assert.deepEqual(gatesOf(await scanned(files, broken)), []);
});

test("proposes releases of Python packages from the configured index, for every supported Python", async () => {
  const file = (version: string, days: number, more: object = {}) => ({
    filename: `typing_things-${version}.tar.gz`,
    "upload-time": daysAgo(days),
    ...more,
  });
  const files = [
    file("1.9", 500),
    file("1.10", 90),
    file("1.11", 80, { "requires-python": ">=3.11" }),
    file("1.12", 70, { yanked: "broken" }),
    file("1.13rc1", 60),
    file("1.14", 3),
    file("2.0", 40),
    { filename: 7 },
  ];
  const server = createServer((request, response) => {
    const isKnown =
      request.url === "/simple/typing-things/" && request.headers.accept === "application/vnd.pypi.simple.v1+json";
    response.writeHead(isKnown ? 200 : 404).end(JSON.stringify({ files }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/simple/`;
    using machine = openMachine({ pip3: `echo ${url}` });
    const tree: Files = {
      "requirements.txt": "Typing.Things==1.9  # pinned\nunknown==1.0\n",
      "pyproject.toml": '[project]\nrequires-python = ">=3.9"\n',
    };
    const found = await scanned(tree, machine);
    assert.deepEqual(gatesOf(found), [
      "pinned Typing.Things 2.0 --from 1.9 --in requirements.txt",
      "pinned Typing.Things 1.10 --from 1.9 --in requirements.txt",
    ]);
    assert.deepEqual(gatesOf(await scanned(tree, { ...machine, group: "all" })), [
      "pinned Typing.Things 2.0 --from 1.9 --in requirements.txt",
    ]);
    const command = found.findings[1]?.gate.command ?? "";
    const repair = await inFolder(tree, (root) => planRepair(command, { tree: root, year: 2030 }));
    assert.deepEqual(repair?.edits, [
      { path: "requirements.txt", text: "Typing.Things==1.10  # pinned\nunknown==1.0\n" },
    ]);
    const locked = await inFolder({ ...tree, "uv.lock": "" }, (root) =>
      planRepair(command, { tree: root, year: 2030 }),
    );
    assert.equal(locked, null);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("rejects invalid arguments of the pin gate with exit code 2", async () => {
  for (const args of [
    [],
    ["a"],
    ["a", "1"],
    ["a", "1", "--from", "0"],
    ["a", "1", "--in", "f"],
    ["a", "#1", "--from", "0", "--in", "f"],
    ["a", "1", "--from", "0", "--in", "f", "--x", "y"],
  ])
    assert.equal((await askGate(["pinned", ...args], { folder: tmpdir(), environment: {} })).code, 2, args.join(" "));
});
