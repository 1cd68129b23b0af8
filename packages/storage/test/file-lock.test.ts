/** An interprocess lock. */
import assert from "node:assert/strict";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { acquireFileLock, FileLockHeldError } from "../src/index.ts";
import { runChild } from "./children/run-child.ts";

describe("an exclusive lock", () => {
  test("has one holder at a time and can be acquired after its release", async () => {
    await using folder = await createFolder();
    const lock = await acquireFileLock(folder.path);
    await assert.rejects(acquireFileLock(folder.path), FileLockHeldError);
    await lock.release();
    await lock.release();
    await using again = await acquireFileLock(folder.path);

    assert.equal(again.path, folder.path);
    assert.equal((await stat(folder.path)).mode & 0o777, 0o600);
  });

  test("waits as long as requested", async () => {
    await using folder = await createFolder();
    const lock = await acquireFileLock(folder.path);
    await assert.rejects(acquireFileLock(folder.path, { wait: 60 }), FileLockHeldError);
    const waiting = acquireFileLock(folder.path, { wait: 10_000 });
    await lock.release();

    await (await waiting).release();
  });

  test("is respected across processes, and released when its process is killed", async () => {
    await using folder = await createFolder();
    const child = runChild("hold-lock", folder.path);
    const { value } = await child.lines.next();
    await assert.rejects(acquireFileLock(folder.path), FileLockHeldError);
    child.process.kill("SIGKILL");
    await child.ended;

    assert.equal(value, "held");
    await (await acquireFileLock(folder.path)).release();
  });

  test("can be acquired by exactly one of many concurrent callers", async () => {
    await using folder = await createFolder();
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => acquireFileLock(folder.path)));
    const locks = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
    await Promise.all(locks.map((lock) => lock.release()));

    assert.equal(locks.length, 1);
  });
});

async function createFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const folder = await mkdtemp(join(tmpdir(), "triptych-lock-"));
  return {
    path: join(folder, "made", "process.lock"),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
