import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "node:test";

const root = fileURLToPath(new URL("..", import.meta.url));
const workspaces = globSync(["packages/*/package.json", "services/*/package.json", "apps/*/package.json"], {
  cwd: root,
});

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

function manifestOf(path: string): Manifest {
  return JSON.parse(readFileSync(join(root, path), "utf8"));
}

/** Packages imported by a file, from its import lines. */
function importedPackages(file: string): string[] {
  const source = readFileSync(join(root, file), "utf8");
  const names = [...source.matchAll(/(?:^|\n)(?:import|export)[^"';]*?from "([^".][^"]*)"|import\("([^".][^"]*)"\)/g)];
  return names
    .map((match) => match[1] ?? match[2])
    .filter((name) => !name.startsWith("node:"))
    .map((name) => name.split("/", name.startsWith("@") ? 2 : 1).join("/"));
}

/** Imports of a workspace that its package.json does not declare. */
function undeclaredImports(path: string, sources: readonly string[], manifest: Manifest): string[] {
  const declared = new Set(
    Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }).concat(manifest.name),
  );
  return sources.flatMap((file) =>
    importedPackages(file)
      // A types-only package is declared by its `@types` name.
      .filter((name) => !declared.has(name) && !declared.has(`@types/${name}`))
      .map((name) => `${file}: ${name} (declare it in ${path})`),
  );
}

test("every imported package is declared in the workspace's package.json", () => {
  assert.ok(workspaces.length >= 7);
  const undeclared = workspaces.flatMap((path) =>
    undeclaredImports(path, globSync(`${dirname(path)}/src/**/*.ts`, { cwd: root }), manifestOf(path)),
  );
  assert.deepEqual(undeclared, []);
});

test("detects an undeclared import", () => {
  const path = "packages/client/package.json";
  const manifest = { name: "@triptych/client", dependencies: {} };
  assert.notDeepEqual(undeclaredImports(path, globSync("packages/client/src/*.ts", { cwd: root }), manifest), []);
});

/** One violation of each dependency rule, and the file that would contain it. */
const violations: readonly (readonly [file: string, line: string])[] = [
  ["packages/contracts/src/a.ts", 'import { fastify } from "fastify";'],
  ["packages/contracts/src/b.ts", 'import { readFile } from "node:fs/promises";'],
  ["packages/client/src/a.ts", 'import { createServer } from "@triptych/server";'],
  ["packages/billing-client/src/a.ts", 'import type { Database } from "@triptych/storage";'],
  ["packages/mcp/src/a.ts", 'import { createServer } from "@triptych/server";'],
  ["packages/store-operations/src/a.ts", 'import { start } from "@triptych/rail";'],
  ["packages/mcp/src/b.ts", 'import { readFile } from "node:fs/promises";'],
  ["packages/server/src/a.ts", 'import { openDatabase } from "@triptych/storage";'],
  ["packages/server/src/b.ts", 'import { Kysely } from "kysely";'],
  ["packages/storage/src/a.ts", 'import { problems } from "@triptych/contracts";'],
  ["packages/util/src/a.ts", 'import { problems } from "@triptych/contracts";'],
  ["packages/ids/src/a.ts", 'import { randomBytes } from "node:crypto";'],
  ["packages/api-keys/src/a.ts", 'import type { Plans } from "@triptych/usage-metering";'],
  ["packages/rate-limit/src/a.ts", 'import { createServer } from "@triptych/server";'],
  ["packages/usage-metering/src/a.ts", 'import { createSlidingWindow } from "@triptych/rate-limit";'],
  ["packages/change-policy/src/a.ts", 'import { readFile } from "node:fs/promises";'],
  ["packages/decisions/src/a.ts", 'import { createServer } from "@triptych/server";'],
  ["packages/process-spawner/src/a.ts", 'import { problems } from "@triptych/contracts";'],
  ["packages/git/src/a.ts", 'import { spawn } from "node:child_process";'],
  ["packages/redaction/src/a.ts", 'import { problems } from "@triptych/contracts";'],
  ["packages/encryption/src/a.ts", 'import { problems } from "@triptych/contracts";'],
  ["packages/encryption/src/b.ts", 'import { readFile } from "node:fs/promises";'],
  ["packages/redaction/src/b.ts", 'import { readFile } from "node:fs/promises";'],
  ["services/one/src/app.ts", 'import { start } from "@triptych/directory";'],
  ["services/one/src/service.ts", 'import { start } from "../../directory/src/service.ts";'],
  ["services/one/src/http/a.ts", 'import { find } from "../store/find.ts";'],
  ["services/one/src/http/b.ts", 'import { openDatabase } from "@triptych/storage";'],
  ["services/one/src/store/a.ts", 'import { handler } from "../http/handler.ts";'],
  ["services/one/src/store/b.ts", 'import { createServer } from "@triptych/server";'],
  ["services/one/src/domain/a.ts", 'import { find } from "../store/find.ts";'],
  ["services/one/src/domain/b.ts", 'import { readFile } from "node:fs/promises";'],
  ["services/one/src/domain/c.ts", 'import { fastify } from "fastify";'],
  ["services/one/src/domain/d.ts", "export const home = process.env;"],
  ["services/one/src/domain/e.ts", 'import { openDatabase } from "@triptych/storage";'],
  ["services/one/src/http/c.ts", 'import type { Row } from "../store/rows.ts";'],
  ["services/one/src/a.ts", 'import { open } from "@triptych/storage/src/database.ts";'],
  ["services/panel/src/queue/dispatch.ts", 'import { find } from "../store/find.ts";'],
  ["services/panel/src/queue/rules.ts", 'import { link } from "../worker-connections/link.ts";'],
  ["services/panel/src/queue/view.ts", 'import { readFile } from "node:fs/promises";'],
  ["services/panel/src/delivery/a.ts", 'import { open } from "../compose/open.ts";'],
  ["services/panel/src/worker-connections/a.ts", 'import { Kysely } from "kysely";'],
  ["services/rail/src/a.ts", 'import { loadTrunk } from "@triptych/decisions";'],
  ["apps/worker/src/a.ts", 'import { start } from "@triptych/panel";'],
  ["apps/worker/src/git/a.ts", 'import { createSandboxes } from "../sandbox/sandbox.ts";'],
  ["apps/worker/src/git/b.ts", 'import type { Worker } from "../index.ts";'],
  ["apps/worker/src/phases/explore/a.ts", 'import type { RunSession } from "../../session/run-session.ts";'],
  ["apps/worker/src/other/a.ts", 'import { runProcess } from "../process/run-process.ts";'],
  ["apps/triptych/src/a.ts", 'import { openDatabase } from "@triptych/storage";'],
];

test("detects a violation of each dependency rule", () => {
  const folder = mkdtempSync(join(tmpdir(), "arrows-"));
  try {
    copyLintRules(folder);
    for (const [file, line] of violations) {
      mkdirSync(join(folder, dirname(file)), { recursive: true });
      writeFileSync(join(folder, file), `${line}\n`);
    }
    const lint = spawnSync(join(root, "node_modules/.bin/oxlint"), ["--format", "json"], {
      cwd: folder,
      encoding: "utf8",
    });
    const { diagnostics }: { diagnostics: { code: string; filename: string }[] } = JSON.parse(lint.stdout);
    const caught = new Set(
      diagnostics.filter(({ code }) => /imports|no-restricted-globals/.test(code)).map(({ filename }) => filename),
    );
    assert.deepEqual(
      violations.map(([file]) => file).filter((file) => !caught.has(file)),
      [],
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("detects a cycle of types, a function over 80 lines and a file over 300 lines", () => {
  const folder = mkdtempSync(join(tmpdir(), "sizes-"));
  const lines = (count: number) => "  count += 1;\n".repeat(count);
  const body = (count: number) => `export function add(count: number): number {\n${lines(count)}  return count;\n}\n`;
  const planted = {
    "packages/util/src/one.ts": 'import type { Two } from "./two.ts";\nexport type One = { readonly two: Two };\n',
    "packages/util/src/two.ts":
      'import type { One } from "./one.ts";\nexport type Two = { readonly one: One | null };\n',
    "packages/util/src/long-function.ts": body(78),
    "packages/util/src/long-file.ts": "export const none = 0;\n".padEnd(24 + 300, "\n"),
    "packages/util/src/allowed.ts": body(77),
  };
  try {
    copyLintRules(folder);
    mkdirSync(join(folder, "packages/util/src"), { recursive: true });
    for (const [file, text] of Object.entries(planted)) writeFileSync(join(folder, file), text);
    const lint = spawnSync(join(root, "node_modules/.bin/oxlint"), ["--format", "json"], {
      cwd: folder,
      encoding: "utf8",
    });
    const { diagnostics }: { diagnostics: { code: string; filename: string }[] } = JSON.parse(lint.stdout);
    const found = diagnostics.map(({ code, filename }) => `${filename.split("/").at(-1)} ${code}`);
    assert.deepEqual([...new Set(found)].toSorted(), [
      "long-file.ts eslint(max-lines)",
      "long-function.ts eslint(max-lines-per-function)",
      "one.ts import(no-cycle)",
      "two.ts import(no-cycle)",
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** Top-level statements that await; `await` inside functions is allowed. */
const WAITS_AT_TOP = /^(?!async |export async |\/|\s)[^\n]*\bawait\b/m;

test("rejects top-level await in worker threads: V8 aborts the process if the thread is terminated meanwhile", () => {
  assert.match('const a = 1;\nconst b = await open("c");', WAITS_AT_TOP);
  assert.doesNotMatch("async function f() {\n  await g();\n}", WAITS_AT_TOP);
  const threads = globSync(["packages/*/src/**/*.ts", "services/*/src/**/*.ts", "apps/*/src/**/*.ts"], { cwd: root })
    .map((file) => ({ file, source: readFileSync(join(root, file), "utf8") }))
    .filter(({ source }) => /\bparentPort\b/.test(source));
  assert.ok(threads.length >= 5);
  assert.deepEqual(
    threads.filter(({ source }) => WAITS_AT_TOP.test(source)).map(({ file }) => file),
    [],
  );
});

test("detects a forbidden word in an identifier or a file name by lint rules", () => {
  const folder = mkdtempSync(join(tmpdir(), "names-"));
  try {
    copyLintRules(folder);
    writeFileSync(join(folder, "kept-pages.ts"), "export const page = 1;\n");
    writeFileSync(join(folder, "pages.ts"), "export const askedAt = 1;\n");
    writeFileSync(join(folder, "wire.ts"), "export const row = { asked_at: 1, kept: true };\n");
    const lint = spawnSync(join(root, "node_modules/.bin/oxlint"), ["--format", "json"], {
      cwd: folder,
      encoding: "utf8",
    });
    const { diagnostics }: { diagnostics: { code: string; filename: string }[] } = JSON.parse(lint.stdout);
    const caught = diagnostics.filter(({ code }) => code.includes("plain-names")).map(({ filename }) => filename);
    assert.deepEqual([...new Set(caught)].toSorted(), ["kept-pages.ts", "pages.ts"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

function copyLintRules(folder: string) {
  for (const path of [".oxlintrc.json", "lint"]) cpSync(join(root, path), join(folder, path), { recursive: true });
}
