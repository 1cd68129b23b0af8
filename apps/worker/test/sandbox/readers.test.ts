/** Readers (planners, reviewers, scouts) whose agent tries to write: a few in the short form, 200 in the long one. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, readlinkSync, lstatSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { inSandbox, openSandbox } from "./open-sandbox.ts";

const READERS = process.env["TEST_LONG"] === undefined ? 8 : 200;
const CONCURRENCY = 4;

/** A digest of every name, mode, time and byte below. */
function hashOf(folder: string): string {
  const hash = createHash("sha256");
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()) {
    const path = join(folder, name);
    const { mode, mtimeMs, ctimeMs } = lstatSync(path);
    hash.update(JSON.stringify([name, mode, mtimeMs, ctimeMs]));
    if (lstatSync(path).isSymbolicLink()) hash.update(readlinkSync(path));
    else if (lstatSync(path).isFile()) hash.update(readFileSync(path));
  }
  return hash.digest("hex");
}

/** Each reader starts with a different attempt, then tries all others. */
const WRITE_ATTEMPTS = [
  "echo x > file",
  "echo x >> folder/deep",
  "rm -f file",
  "mv file moved",
  "mkdir made",
  "ln -s file link2",
  "ln file hard",
  "chmod 777 file",
  "touch -d 2001-01-01 file",
  "truncate -s 0 file",
  "echo x > link",
  "mount -o remount,rw .",
  "cp -a /dev/null file",
  "rm -rf folder",
  'echo x > "/proc/self/cwd/file"',
  'echo x > "/proc/1/root$PWD/file"',
];

test(`leaves the tree unchanged by ${READERS} readers that try to write`, inSandbox, async () => {
  await using sandbox = await openSandbox();
  const { tree } = sandbox.folders;
  mkdirSync(join(tree, "folder"));
  writeFileSync(join(tree, "file"), "as it was\n");
  writeFileSync(join(tree, "folder", "deep"), "as it was\n");
  symlinkSync("file", join(tree, "link"));
  const before = hashOf(tree);
  let next = 0;
  const readers = Array.from({ length: CONCURRENCY }, async () => {
    for (let at = next++; at < READERS; at = next++) {
      const turned = [
        ...WRITE_ATTEMPTS.slice(at % WRITE_ATTEMPTS.length),
        ...WRITE_ATTEMPTS.slice(0, at % WRITE_ATTEMPTS.length),
      ];
      const script = `cat file; ${turned.map((command) => `(${command}) 2> /dev/null && echo WRITTEN`).join("; ")}; true`;
      const { end, output } = await sandbox.run(script, { purpose: "reader" });
      assert.deepEqual(end, { kind: "exited", code: 0 });
      assert.equal(output, "as it was\n");
    }
  });
  await Promise.all(readers);
  assert.equal(hashOf(tree), before);
});
