import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { askGate, GATE_DEFINITIONS } from "../../src/scouts/gate-command/gate.ts";
import { gateLine, readGateLine } from "../../src/scouts/gate-command/gate-protocol.ts";
import { createMend } from "../../src/scouts/mend/mend.ts";
import { planRepair } from "../../src/scouts/mend/plan-repair.ts";
import { readFolder } from "../../src/scouts/reading/tree.ts";

type Files = Readonly<Record<string, string>>;

function openFolder(files: Files) {
  const folder = mkdtempSync(join(tmpdir(), "gate-"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const ask = (...args: string[]) => askGate(args, { folder, environment: { PATH: process.env["PATH"] } });
  return { folder, ask, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

const MANIFEST = (range: string) =>
  JSON.stringify({ name: "app", license: "MIT", dependencies: { left: range } }, null, 2);
const NESTED = (version: string) =>
  JSON.stringify({
    packages: { "node_modules/left": { version: "2.0.0" }, "node_modules/x/node_modules/left": { version } },
  });
const LOCK = (version: string) => JSON.stringify({ packages: { "node_modules/left": { version } } });

/** Each gate, which fails with the first files and passes with the second. */
const GATES: readonly (readonly [words: readonly string[], red: Files, green: Files])[] = [
  [["has", "licence"], { "LICENSE.md": "" }, { COPYING: "x" }],
  [["has", "readme"], { "src/README.md": "x" }, { "readme.rst": "x" }],
  [["has", "ci"], { ".github/workflows/notes.md": "x" }, { ".gitlab-ci.yml": "x" }],
  [["max-size", "a.bin", "3"], { "a.bin": "1234" }, { "a.bin": "123" }],
  [["max-size", "a.bin", "3"], { "a.bin": "1234" }, {}],
  [["tested", "src/a.js"], {}, { "src/a.js": "run();", "test/x.mjs": 'require("../src/a")' }],
  [["tested", "a/b.go"], { "a/b.go": "", "c/b_test.go": "" }, { "a/b.go": "", "a/x_test.go": "" }],
  [["dep-at-least", "left", "2.0.0"], { "package.json": MANIFEST("^1.9.9") }, { "package.json": MANIFEST("^2.0.0") }],
  [
    ["dep-at-least", "left", "2.0.0"],
    { "package.json": MANIFEST("^2.0.0"), "package-lock.json": LOCK("1.0.0") },
    { "package.json": MANIFEST(">=1"), "package-lock.json": LOCK("2.0.1") },
  ],
  [["dep-at-least", "left", "2.0.0"], {}, { "package.json": "{}" }],
  [
    ["dep-at-least", "left", "2.0.0", "right", "3.0.0"],
    { "package.json": '{"dependencies":{"left":"^2.0.0","right":"^2.0.0"}}' },
    { "package.json": '{"dependencies":{"left":"^2.0.0","right":"^3.1.0"}}' },
  ],
  [
    ["dep-at-least", "left", "2.0.0", "--everywhere"],
    { "package.json": MANIFEST("^2.0.0"), "package-lock.json": NESTED("1.0.0") },
    { "package.json": MANIFEST("^2.0.0"), "package-lock.json": NESTED("2.0.1") },
  ],
  [
    ["pinned", "requests", "2.32.0", "--from", "2.31.0", "--in", "requirements.txt"],
    { "requirements.txt": "requests==2.31.0\n" },
    { "requirements.txt": "requests==2.32.0\n" },
  ],
  // package.json cannot change a transitive copy.
  [
    ["dep-at-least", "left", "2.0.0"],
    { "package.json": MANIFEST("^2.0.0"), "yarn.lock": '# yarn lockfile v1\n\nleft@^1.0.0:\n  version "1.0.0"\n' },
    { "package.json": MANIFEST("^2.0.0"), "package-lock.json": NESTED("1.0.0") },
  ],
  [["link", "README.md", "a.md"], { "README.md": "[a](a.md)" }, { "README.md": "[a](a.md)", "a.md": "" }],
  [["link", "README.md", "a.md"], { "README.md": "[a]: a.md 'x'" }, { "README.md": "`[a](a.md)`" }],
  [
    ["link", "README.md", "#two-words"],
    { "README.md": "# One\n[a](#two-words)" },
    { "README.md": "## Two `words`!\n[a](#two-words)" },
  ],
  [
    ["link", "README.md", "b.md#top"],
    { "README.md": "[b](b.md#top)" },
    { "README.md": "[b](b.md#top) [back](#top)", "b.md": "" },
  ],
  [
    ["link", "README.md", "a.md?plain=1#L4-L6"],
    { "README.md": "[a](a.md?plain=1#L4-L6)" },
    { "README.md": "[a](a.md?plain=1#L4-L6)", "a.md": "" },
  ],
  [["link", "x/README.md", "../a"], { "x/README.md": "[a](../a)" }, { "x/README.md": "[a](../a)", "a/b": "" }],
  [["faster-than", "0.2", "--", "sleep", "5"], {}, {}],
  [["faster-than", "60", "--", "exit 3"], {}, {}],
];

test("fails each gate before the change and passes it after, with the result as a sentence", async () => {
  for (const [args, red, green] of GATES) {
    using before = openFolder(red);
    const { code, message } = await before.ask(...args);
    assert.equal(code, 1, `${args.join(" ")}: ${message}`);
    assert.match(message, /\.$/);
    if (args[0] === "faster-than") continue;
    using after = openFolder(green);
    const answer = await after.ask(...args);
    assert.equal(answer.code, 0, `${args.join(" ")}: ${answer.message}`);
  }
  using here = openFolder({});
  assert.equal((await here.ask("faster-than", "60", "--", "true")).code, 0);
  assert.deepEqual(new Set(GATES.map(([[name]]) => name)), new Set(GATE_DEFINITIONS.keys()));
});

const A = "export const a = (x) => x;\nexport type T = string;\n";
const MANY = ["a", "b", "c", "d", "e"].map((name) => `export const ${name} = () => "${name}";`).join("\n");
const CHECK_A = "assert.equal(a(1), 1);";

/** Red: the file is imported, and none of its exports is asserted. */
const UNTESTED: readonly (readonly [why: string, path: string, files: Files])[] = [
  ["an import alone", "src/a.ts", { "src/a.ts": A, "test/a.test.ts": 'import { a } from "../src/a.js";\n' }],
  ["a call alone", "src/a.ts", { "src/a.ts": A, "test/a.test.ts": 'import { a } from "../src/a.js";\na(1);\n' }],
  [
    "an assertion about something else",
    "src/a.ts",
    {
      "src/a.ts": A,
      "test/a.test.ts": 'import { a } from "../src/a.js";\na(1); assert.ok(true); expect(1).toBe(1);\n',
    },
  ],
  [
    "an assertion that it is there",
    "src/a.ts",
    {
      "src/a.ts": A,
      "test/a.test.ts": 'import { a } from "../src/a.js";\nassert.ok(a); assert.equal(typeof a, "function");\n',
    },
  ],
  [
    "a test that is skipped",
    "src/a.ts",
    { "src/a.ts": A, "test/a.test.ts": `import { a } from "../src/a.js";\ntest.skip("a", () => { ${CHECK_A} });\n` },
  ],
  [
    "one of five names",
    "src/a.js",
    { "src/a.js": MANY, "test/a.test.js": 'import { a } from "../src/a.js";\nassert.equal(a(), "a");\n' },
  ],
  [
    "a name of another file of the same barrel",
    "src/a.ts",
    {
      "src/a.ts": A,
      "src/b.ts": "export const b = 1;\n",
      "src/index.ts": 'export * from "./a";\nexport * from "./b";\n',
      "test/b.test.ts": 'import { b } from "../src";\nassert.equal(b, 1);\n',
    },
  ],
  [
    "an import of Python",
    "pkg/mod.py",
    { "pkg/mod.py": "def run():\n  return 1\n", "tests/test_x.py": "from pkg.mod import run\nassert True\n" },
  ],
];

/** Green: any way of importing and asserting. */
const TESTED: readonly (readonly [why: string, path: string, files: Files])[] = [
  ["node:assert", "src/a.ts", { "src/a.ts": A, "src/a.test.ts": `import { a } from "./a.ts";\n${CHECK_A}\n` }],
  [
    "a barrel of barrels, under another name",
    "src/deep/a.ts",
    {
      "src/deep/a.ts": A,
      "src/deep/index.ts": 'export * from "./a";\n',
      "src/index.ts": 'import { a } from "./deep";\nexport { a as again };\n',
      "test/all.test.ts": 'import * as all from "../src";\ntest("a", () => { expect(all.again(1)).toBe(1); });\n',
    },
  ],
  [
    "the package's own name, whose main is built",
    "src/a.ts",
    {
      "package.json": '{"name":"pkg","exports":{".":{"types":"./dist/index.d.ts","default":"./dist/index.js"}}}',
      "src/a.ts": A,
      "src/index.ts": 'export { a } from "./a.js";\n',
      "test/a.mjs": 'import { a } from "pkg";\nconst made = a(1);\nfor (const one of [made]) t.is(one, 1);\n',
    },
  ],
  [
    "CommonJS with a default that is a function",
    "index.js",
    {
      "package.json": '{"name":"pkg","main":"index.js"}',
      "index.js": "module.exports = function pkg() {};\n",
      "test/index.js":
        'const it = require("..");\nconst assert = require("assert");\ndescribe("x", () => { assert.throws(() => it(1), /x/); });\n',
    },
  ],
  [
    "members of module.exports, through a helper that asserts",
    "lib/a.js",
    {
      "lib/a.js": "function a() {}\nmodule.exports = { a };\n",
      "test/a.js": 'const { a } = require("../lib/a");\nfunction same(x, y) { assert.equal(x, y); }\nsame(a(1), 1);\n',
    },
  ],
  [
    "an argument that the call changed, in a promise",
    "src/a.ts",
    {
      "src/a.ts": A,
      "test/a.test.ts":
        'import { a } from "../src/a";\nconst list = [];\na(list);\na(1).then((found) => expect(found).toEqual(list));\n',
    },
  ],
  [
    "a component that is rendered",
    "src/Box.tsx",
    {
      "src/Box.tsx": "export default function Box() { return <p>x</p>; }\n",
      "test/box.test.tsx":
        'import Box from "../src/Box";\ntest("x", () => { render(<Box />); expect(screen.getByText("x")).toBeVisible(); });\n',
    },
  ],
  [
    "supertest",
    "app.js",
    {
      "app.js": "module.exports = () => {};\n",
      "test/app.js": 'const app = require("../app");\nrequest(app).get("/").expect(200);\n',
    },
  ],
  [
    "an error that is thrown",
    "src/a.ts",
    { "src/a.ts": A, "test/a.ts": 'import { a } from "../src/a";\nif (a(1) !== 1) throw new Error("x");\n' },
  ],
  [
    "two of five names",
    "src/a.js",
    {
      "src/a.js": MANY,
      "test/a.test.js": 'import { a, b } from "../src/a.js";\nassert.equal(a(), "a");\nassert.equal(b(), "b");\n',
    },
  ],
  [
    "pytest, through a package and a fixture",
    "src/pkg/mod.py",
    {
      "src/pkg/mod.py": "class Box:\n    pass\n",
      "src/pkg/__init__.py": "from .mod import Box as Box\n",
      "tests/test_box.py":
        "import pytest\nfrom pkg import (\n    Box,\n)\n\n@pytest.fixture\ndef box():\n    return Box()\n\ndef test_box(box):\n    assert box.size == 1\n",
    },
  ],
  [
    "unittest, and what raises",
    "pkg/mod.py",
    {
      "pkg/mod.py": "def run(x):\n    return x\n",
      "tests/test_mod.py":
        "import pkg.mod\n\ndef test_it():\n    with pytest.raises(ValueError):\n        pkg.mod.run(1)\n",
    },
  ],
];

test("fails `tested` until an assertion uses an export of the file", async () => {
  for (const [why, path, files] of UNTESTED) {
    using here = openFolder(files);
    const { code, message } = await here.ask("tested", path);
    assert.equal(code, 1, `${why}: ${message}`);
  }
  for (const [why, path, files] of TESTED) {
    using here = openFolder(files);
    const { code, message } = await here.ask("tested", path);
    assert.equal(code, 0, `${why}: ${message}`);
  }
});

test("reports in `tested` how many exports are asserted and required, and which are missing", async () => {
  const [, path, files] = UNTESTED[5] ?? ["", "", {}];
  using here = openFolder(files);
  assert.equal(
    (await here.ask("tested", path)).message,
    "Tests assert 1 of the 5 names that src/a.js exports; at least 2 are needed. Not asserted: b, c, d, e.",
  );
});

test("rejects invalid gate arguments with exit code 2 and a usage message", async () => {
  using here = openFolder({});
  const senseless = [
    "",
    "nope",
    "has",
    "has fun",
    "has ci ci",
    "max-size a",
    "max-size a 1k",
    "tested",
    "dep-at-least a",
    "dep-at-least a x",
    "dep-at-least a 1.0.0 b",
    "dep-at-least --everywhere",
    "link a",
    "faster-than 5 true",
    "faster-than x -- true",
    "faster-than 5 --",
  ];
  for (const args of senseless) {
    const { code, message } = await here.ask(...args.split(" ").filter(Boolean));
    assert.equal(code, 2, args);
    assert.match(message, /triptych gate /, args);
  }
});

test("parses the arguments of a gate command, and rejects other commands", () => {
  for (const args of [
    ["has", "ci"],
    ["link", "READ ME.md", "it's (this).md#x"],
    ["faster-than", "60", "--", "a && b 'c'"],
  ])
    assert.deepEqual(readGateLine(gateLine(...args)), args);
  for (const line of [
    "triptych gate has ci; rm -rf x",
    "triptych gate has $(x)",
    "! triptych gate has ci",
    "triptych gate",
    "npm test",
    'triptych gate has "ci"',
  ])
    assert.equal(readGateLine(line), null, line);
});

const REPAIRS: readonly (readonly [words: readonly string[], files: Files, path: string, text: RegExp])[] = [
  [
    ["link", "README.md", "docs/letter.md"],
    { "README.md": "[a](docs/letter.md) [b](docs/letter.md)", "docs/letters.md": "" },
    "README.md",
    /^\[a\]\(docs\/letters\.md\) \[b\]\(docs\/letters\.md\)$/,
  ],
  [
    ["link", "x/README.md", "/guide.md#top"],
    { "x/README.md": "[a](/guide.md#top)", "docs/guide.md": "# Top" },
    "x/README.md",
    /^\[a\]\(\/docs\/guide\.md#top\)$/,
  ],
  [["link", "README.md", "#instal"], { "README.md": "# Install\n[a](#instal)" }, "README.md", /\[a\]\(#install\)$/],
  [["has", "licence"], { "package.json": '{"license":"Apache-2.0"}' }, "LICENSE", /Apache License[^]*Version 2\.0/],
  [
    ["has", "licence"],
    { "package.json": '{"license":"BSD-3-Clause","author":{"name":"Ada"}}' },
    "LICENSE",
    /^Copyright \(c\) 2030 Ada\n/,
  ],
  [
    ["has", "readme"],
    { "package.json": '{"name":"app","description":"It adds.","scripts":{"test":"x"}}' },
    "README.md",
    /^# app\n\nIt adds\.\n[^]*npm test/,
  ],
  [["dep-at-least", "left", "2.1.0"], { "package.json": MANIFEST("~1.0.0") }, "package.json", /"left": "~2\.1\.0"/],
];

const OPTIONS = { year: 2030, registryAddress: () => Promise.reject(new Error("it asks for nothing")) };

test("passes unambiguous gates after `mend`", async () => {
  for (const [args, files, path, text] of REPAIRS) {
    using here = openFolder(files);
    const repair = await planRepair(gateLine(...args), { tree: await readFolder(here.folder), year: 2030 });
    assert.deepEqual(
      repair?.edits.map((edit) => edit.path),
      [path],
      args.join(" "),
    );
    assert.match(repair?.edits[0]?.text ?? "", text);
    assert.equal((await here.ask(...args)).code, 1);
    const task = {
      tree: here.folder,
      folder: here.folder,
      prompt: "",
      model: null,
      mode: "rw",
      round: 1,
      environment: {},
      modelProxy: null,
      isShutIn: false,
    } as const;
    const session = createMend(gateLine(...args), OPTIONS).start({
      ...task,
      launch: () => Promise.reject(new Error("it starts nothing")),
      limits: { timeoutMs: 1, silenceMs: 1 },
    });
    for await (const { kind } of session) assert.equal(kind, "tool_call");
    assert.deepEqual(session.end(), { kind: "done", exitCode: 0, error: null });
    assert.equal((await here.ask(...args)).code, 0, args.join(" "));
  }
});

const LEFT_ALONE: readonly (readonly [gate: string, files: Files])[] = [
  ["triptych gate link README.md a.md", { "README.md": "[a](a.md)", "b/a.md": "", "c/a.md": "" }],
  ["triptych gate link README.md ab.md", { "README.md": "[a](ab.md)", "ac.md": "", "ad.md": "" }],
  ["triptych gate has licence", { "package.json": '{"license":"UNLICENSED"}' }],
  ["triptych gate has ci", {}],
  ["triptych gate dep-at-least left 2.0.0", { "package.json": MANIFEST("github:x/left") }],
  ["triptych gate tested a.js", { "a.js": "" }],
  ["npm test", {}],
];

test("changes nothing in ambiguous cases with `mend`", async () => {
  for (const [gate, files] of LEFT_ALONE) {
    using here = openFolder(files);
    assert.equal(await planRepair(gate, { tree: await readFolder(here.folder), year: 2030 }), null, gate);
  }
});
