import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { runProcess, type ProcessLimits, type ProcessSpec } from "../src/process/run-process.ts";
import { createTail } from "../src/process/tail.ts";
import { openWitness } from "./support/witness.ts";

const LIMITS: ProcessLimits = { timeoutMs: 30_000, outputBytes: 1_000_000 };
const run = (script: string, changes: Partial<ProcessSpec> = {}) =>
  runProcess({
    argv: ["/bin/sh", "-c", script],
    cwd: "/",
    environment: { PATH: process.env["PATH"] ?? "" },
    limits: LIMITS,
    signal: new AbortController().signal,
    ...changes,
  });

test("returns the exit code or signal of a process", async () => {
  assert.deepEqual(await run("exit 3"), { kind: "exited", code: 3 });
  assert.deepEqual(await run("kill -9 $$"), { kind: "killed", signal: "SIGKILL" });
  const absent = await run("", { argv: ["/no/such/program"] });
  assert.equal(absent.kind, "not_started");
});

test("inherits no environment variable", async () => {
  let output = "";
  await run("env", { environment: { ONLY: "this" }, onStdout: (chunk) => (output += chunk.toString()) });
  assert.deepEqual(
    output
      .split("\n")
      .filter((line) => !/^(?:PWD|SHLVL|_)=/.test(line))
      .filter(Boolean),
    ["ONLY=this"],
  );
});

test("reports which limit ended a process", async () => {
  assert.equal((await run("sleep 600", { limits: { ...LIMITS, timeoutMs: 50 } })).kind, "timeout");
  assert.equal((await run("sleep 600", { limits: { ...LIMITS, silenceMs: 50 } })).kind, "silence");
  assert.equal((await run("yes", { limits: { ...LIMITS, outputBytes: 10_000 } })).kind, "output_limit");
  assert.equal((await run("sleep 600", { signal: AbortSignal.abort() })).kind, "cancelled");
});

test("enforces the file size limit in the kernel", async () => {
  const folder = await mkdtemp(join(tmpdir(), "worker-"));
  try {
    const end = await run("exec yes > large", { cwd: folder, limits: { ...LIMITS, fileBytes: 10_240 } });
    assert.notDeepEqual(end, { kind: "exited", code: 0 });
    assert.equal(statSync(join(folder, "large")).size, 10_240);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("kills the rest of the process group at the end", async () => {
  await using witness = await openWitness();
  const end = await run(`exec 3> '${witness.path}'; sleep 600 & exit 0`);
  assert.deepEqual(end, { kind: "exited", code: 0 });
  await witness.gone;
});

test("returns the last whole characters of a tail, and whether it is truncated", () => {
  const tail = createTail(5);
  for (const piece of ["abc", "déf", "gé"]) tail.push(Buffer.from(piece));
  assert.equal(tail.text(), "[6 earlier bytes truncated]\nfgé");
});

test("passes no open file of the worker to its children", { skip: process.platform !== "linux" }, () => {
  const child = fileURLToPath(new URL("./children/close-inherited.ts", import.meta.url));
  const stdio = ["ignore", "pipe", "inherit", "pipe", "pipe"] as const;
  const { stdout } = spawnSync(process.execPath, [child], { stdio: [...stdio], encoding: "utf8" });
  assert.equal(stdout, "0\n1\n2\n3\n");
});
