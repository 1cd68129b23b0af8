import assert from "node:assert/strict";
import { test } from "node:test";
import { missingMessage, missingProgram, missingTool } from "../src/process/missing-tool.ts";

/** Output of real tools, shortened to the relevant lines. */
const MISSING: readonly (readonly [tool: string, exitCode: number, output: string, missing: string])[] = [
  ["sh", 127, "/bin/sh: 1: go: not found\n", "go: not found"],
  ["bash", 127, "bash: line 1: cargo: command not found\n", "cargo: not found"],
  ["sh, a script without the right", 126, "/bin/sh: 1: ./test.sh: Permission denied\n", "test.sh: permission denied"],
  ["sh, without a word", 127, "", "command not found"],
  ["npm", 127, "> clsx@2.1.1 test\n> uvu test\n\nsh: 1: uvu: not found\n", "uvu: not found"],
  ["yarn 1", 127, "/bin/sh: 1: mocha: not found\nerror Command failed with exit code 127.\n", "mocha: not found"],
  ["yarn 4", 127, "command not found: jest\n", "jest: not found"],
  ["pnpm", 1, "sh: 1: vitest: not found\n ELIFECYCLE  Test failed. See above for more details.\n", "vitest: not found"],
  [
    "npx",
    1,
    'npm error npx canceled due to missing packages and no YES option: ["tsd@0.33.0"]\n',
    "tsd@0.33.0: not installed",
  ],
  [
    "make",
    2,
    "go test ./...\nmake: go: No such file or directory\nmake: *** [Makefile:4: test] Error 127\n",
    "go: not found",
  ],
  ["make and sh", 2, "/bin/sh: 1: pytest: not found\nmake: *** [Makefile:2: test] Error 127\n", "pytest: not found"],
  [
    "env",
    127,
    "/usr/bin/env: 'python': No such file or directory\nenv: 'python': No such file or directory\n",
    "python: not found",
  ],
  [
    "cargo",
    101,
    "error: no such command: `nextest`\n\n\tView all installed commands with `cargo --list`\n",
    "nextest: not found",
  ],
  [
    "rustup",
    1,
    "error: toolchain '1.80-x86_64-unknown-linux-gnu' is not installed\n",
    "1.80-x86_64-unknown-linux-gnu: toolchain not installed",
  ],
  [
    "rustup without a toolchain",
    1,
    "error: rustup could not choose a version of cargo to run, because one wasn't specified explicitly, and no default is configured.\n",
    "cargo: no Rust toolchain is chosen",
  ],
  [
    "node, CommonJS",
    1,
    "node:internal/modules/cjs/loader:1228\n  throw err;\n  ^\n\nError: Cannot find module 'tape'\nRequire stack:\n- /t/test/index.js\n",
    "package tape is not installed",
  ],
  [
    "node, ESM",
    1,
    "Error [ERR_MODULE_NOT_FOUND]: Cannot find package '@scope/chai' imported from /t/test/a.js\n",
    "package @scope/chai is not installed",
  ],
  [
    "mocha",
    1,
    "Error: Cannot find module 'should/as-function'\n    at Module._resolveFilename\n",
    "package should/as-function is not installed",
  ],
  [
    "jest",
    1,
    "FAIL test/a.test.js\n  ● Test suite failed to run\n\n    Cannot find module 'supertest' from 'test/a.test.js'\n\nTests:       0 total\n",
    "package supertest is not installed",
  ],
  [
    "vitest",
    1,
    'Error: Failed to resolve import "msw" from "test/a.test.ts". Does the file exist?\n Test Files  1 failed (1)\n      Tests  no tests\n',
    "package msw is not installed",
  ],
  [
    "tsc",
    2,
    "src/a.ts(1,20): error TS2307: Cannot find module 'zod' or its corresponding type declarations.\n",
    "package zod is not installed",
  ],
  [
    "pytest",
    2,
    "ERROR collecting tests/test_a.py\nE   ModuleNotFoundError: No module named 'itsdangerous'\n!!! Interrupted: 1 error during collection !!!\n",
    "Python module itsdangerous is not installed",
  ],
  ["python -m", 1, "/usr/bin/python3: No module named pytest\n", "Python module pytest is not installed"],
  [
    "go",
    1,
    "a_test.go:6:2: no required module provides package github.com/x/assert; to add it:\n\tgo get github.com/x/assert\n",
    "Go module or toolchain github.com/x/assert is not available",
  ],
  [
    "go toolchain",
    1,
    "go: download go1.99 for linux/amd64: toolchain not available\n",
    "Go module or toolchain go1.99 is not available",
  ],
  ["cargo, offline", 101, "error: no matching package named `serde` found\n", "crate serde is not available"],
];

for (const [tool, exitCode, output, missing] of MISSING)
  test(`recognizes that a check cannot run: ${tool}`, () => {
    assert.equal(missingTool({ exitCode, output }), missing);
  });

const RED: readonly (readonly [what: string, exitCode: number | null, output: string])[] = [
  ["a relative file is missing", 1, "Error: Cannot find module './lib/sum.js'\nRequire stack:\n- /t/test.js\n"],
  ["an absolute file is missing", 1, "Error: Cannot find module '/t/dist/index.js'\n"],
  ["a private import is missing", 1, "Error: Cannot find package '#internal' imported from /t/a.js\n"],
  ["an alias does not resolve", 1, 'Failed to resolve import "@/utils" from "src/a.test.ts"\n'],
  ["a path below baseUrl is missing", 2, "error TS2307: Cannot find module 'src/utils' or its type declarations.\n"],
  ["a part of the project's package is missing", 2, "E   ModuleNotFoundError: No module named 'acme.core'\n"],
  ["a test is about a missing module, others pass", 1, "ok 1 resolves\nnot ok 2 throws\n  Cannot find module 'foo'\n"],
  [
    "one suite of jest lacks a package",
    1,
    "Cannot find module 'x' from 'b.test.js'\nTests: 1 failed, 12 passed, 13 total\n",
  ],
  ["an assertion fails", 1, "AssertionError: expected 1 to equal 2\n"],
  ["a test prints of commands that are not found", 1, "expected 'zsh: command not found' to be ''\n"],
  ["a limit ended it", null, "sh: 1: go: not found\n"],
  ["it is green", 0, "sh: 1: go: not found\nError: Cannot find module 'tape'\n"],
];

for (const [what, exitCode, output] of RED)
  test(`leaves a check red if ${what}`, () => {
    assert.equal(missingTool({ exitCode, output }, new Set(["src"])), null);
  });

test("fails a setup command that lacks a package, and reports one without its program as unavailable", () => {
  assert.equal(missingProgram({ exitCode: 1, output: "Error: Cannot find module 'tape'\n" }), null);
  assert.equal(missingProgram({ exitCode: 127, output: "/bin/sh: 1: pnpm: not found\n" }), "pnpm: not found");
});

test("reports the missing program and the remedy", () => {
  assert.equal(
    missingMessage("verify command", "go: not found", 127),
    "the verify command cannot run: go: not found (exit code 127). Install it on the worker or in the setup command, or change the verify command.",
  );
});
