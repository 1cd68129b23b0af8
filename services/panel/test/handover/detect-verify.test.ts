import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { detectVerify } from "../../src/contact/detect-verify.ts";
import { createGit } from "../../src/git/git.ts";
import { git } from "../support/handover-scene.ts";

const cases: readonly (readonly [Record<string, string>, string | null])[] = [
  [{ "package.json": '{"scripts":{"test":"node --test"}}', Makefile: "test:\n" }, "npm test"],
  [{ "package.json": '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1"}}' }, null],
  [{ "package.json": "{broken", Makefile: "all:\n\ttrue\ntest: all\n" }, "make test"],
  [{ "Cargo.toml": "" }, "cargo test"],
  [{ "go.mod": "" }, "go test ./..."],
  [{ "pyproject.toml": "[tool.pytest.ini_options]\n" }, "pytest"],
  [{ "README.md": "" }, null],
];

for (const [files, command] of cases)
  test(`${Object.keys(files).join(" and ")}: ${command ?? "no command"}`, async () => {
    const folder = mkdtempSync(join(tmpdir(), "detect-"));
    try {
      await git(folder, "init", "--quiet", ".");
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
      await git(folder, "add", "--all");
      await git(folder, "commit", "--quiet", "--message=First");
      assert.equal(await detectVerify(createGit(join(folder, ".git")), "HEAD"), command);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
