import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createBaselines } from "../src/phases/baselines.ts";
import { createRunRequest } from "./support/run-story.ts";

test("stores a baseline that several runs write concurrently, and ignores a corrupt one", async () => {
  const folder = await mkdtemp(join(tmpdir(), "baselines-"));
  await using temporary = { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
  const baselines = createBaselines(folder, {});
  const request = createRunRequest({ url: "file:///sum.git", sha: "a".repeat(40), bare: folder, ...temporary });
  const options = { verify: true, gate: false };
  const checks = { verify: "red", gate: "none" } as const;
  const run = {
    checks,
    durationMs: 5,
    verify: { exitCode: 1, durationMs: 5 },
    gate: null,
    unavailable: null,
    isCached: false,
    output: "no",
  };
  await Promise.all(Array.from({ length: 20 }, () => baselines.keep(request, options, run)));
  assert.deepEqual((await baselines.find(request, options))?.checks, checks);
  const [name = ""] = await readdir(folder);
  await writeFile(join(folder, name), "");
  assert.equal(await baselines.find(request, options), undefined);
});

test("keeps the log of a cached baseline, unless it is too long to cache", async () => {
  const folder = await mkdtemp(join(tmpdir(), "baselines-"));
  await using temporary = { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
  const baselines = createBaselines(folder, {});
  const request = createRunRequest({ url: "file:///sum.git", sha: "b".repeat(40), bare: folder, ...temporary });
  const options = { verify: true, gate: true };
  const checks = { verify: "red", gate: "red" } as const;
  const end = (log: string) => ({ exitCode: 1, durationMs: 5, log });
  const run = { checks, durationMs: 5, unavailable: null, isCached: false, output: "no" };
  await baselines.keep(request, options, { ...run, verify: end("short"), gate: end("x".repeat(300_000)) });
  const found = await baselines.find(request, options);
  assert.deepEqual([found?.verify?.log, found?.gate?.log], ["short", undefined]);
});
