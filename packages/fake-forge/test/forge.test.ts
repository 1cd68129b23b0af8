import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { startForge, type Forge, type ForgeFault } from "../src/index.ts";

const TOKEN = "forge-token-of-the-test";
const run = promisify(execFile);

async function git(folder: string, ...args: readonly string[]): Promise<string> {
  const env = { PATH: process.env["PATH"], GIT_CONFIG_GLOBAL: "/dev/null", GIT_TERMINAL_PROMPT: "0", HOME: folder };
  const identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.test", "-c", "core.fsync=none"];
  return (await run("git", ["-C", folder, ...identity, ...args], { env })).stdout.trim();
}

/** A host with a repository that has `main` and a branch `work`, pushed with the real git client. */
async function createFixture() {
  const folder = mkdtempSync(join(tmpdir(), "forge-"));
  const forge = await startForge({ folder: join(folder, "forge"), token: TOKEN });
  const remote = `${forge.url.replace("http://", `http://any:${TOKEN}@`)}/acme/sum.git`;
  await git(folder, "init", "--quiet", "--initial-branch=main", "local");
  const local = join(folder, "local");
  writeFileSync(join(local, "a.txt"), "a\n");
  await git(local, "add", "--all");
  await git(local, "commit", "--quiet", "--message=First");
  await git(local, "push", "--quiet", remote, "main", "main:work");
  return {
    forge,
    local,
    remote,
    async [Symbol.asyncDispose]() {
      await forge[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Sent {
  readonly body?: object;
  readonly signal?: AbortSignal;
}

function call(forge: Forge, method: string, path: string, { body, signal }: Sent = {}): Promise<Response> {
  return fetch(`${forge.url}/api/v3/repos/acme/sum${path}`, {
    method,
    headers: { Authorization: `Bearer ${TOKEN}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  });
}

const PULL = { title: "Repair", head: "work", base: "main", draft: true };

test("the real git client can push and list with the token, and is rejected without it", async () => {
  await using fixture = await createFixture();
  const listed = await git(fixture.local, "ls-remote", "--heads", fixture.remote);
  assert.deepEqual(
    listed.split("\n").map((line) => line.split("\t")[1]),
    ["refs/heads/main", "refs/heads/work"],
  );
  await assert.rejects(git(fixture.local, "ls-remote", `${fixture.forge.url}/acme/sum.git`));
  assert.equal((await fetch(`${fixture.forge.url}/api/v3/repos/acme/sum`)).status, 401);
});

test("creates a pull request once, finds it by head, closes it and reopens it", async () => {
  await using fixture = await createFixture();
  const { forge } = fixture;
  assert.equal((await call(forge, "POST", "/pulls", { body: PULL })).status, 201);
  const again = await call(forge, "POST", "/pulls", { body: PULL });
  assert.equal(again.status, 422);
  assert.match(await again.text(), /A pull request already exists for acme:work\./);
  const listed = await call(forge, "GET", "/pulls?head=acme:work&state=open");
  const [found, ...more] = JSON.parse(await listed.text());
  const [pull] = forge.pulls.all;
  const { number, html_url, head } = found;
  assert.deepEqual([number, html_url, head.sha, more], [pull?.number, pull?.html_url, pull?.head.sha, []]);
  assert.equal((await call(forge, "PATCH", "/pulls/1", { body: { state: "closed" } })).status, 200);
  assert.equal((await call(forge, "PATCH", "/pulls/1", { body: { state: "open" } })).status, 200);
  forge.pulls.close(1, { merged: true });
  assert.equal((await call(forge, "PATCH", "/pulls/1", { body: { state: "open" } })).status, 422);
});

test("rejects a pull request for a missing branch, and lists every missing field", async () => {
  await using fixture = await createFixture();
  await git(fixture.local, "push", "--quiet", fixture.remote, ":work");
  assert.equal((await call(fixture.forge, "POST", "/pulls", { body: PULL })).status, 422);
  assert.match(await (await call(fixture.forge, "POST", "/pulls", { body: {} })).text(), /title.*head.*base/);
});

const faults: readonly (readonly [ForgeFault, number | "none", number])[] = [
  ["error", 500, 0],
  ["error_after_effect", 500, 1],
  ["rate_limited", 403, 0],
  ["lost_answer", "none", 1],
  ["no_answer", "none", 1],
];
for (const [fault, status, made] of faults)
  test(`${fault}: the client gets ${status}, ${made} pull requests are created, and it happens once`, async () => {
    await using fixture = await createFixture();
    const controller = new AbortController();
    const happened = fixture.forge.failNext(fault).then(() => fault === "no_answer" && controller.abort());
    const actual = await call(fixture.forge, "POST", "/pulls", { body: PULL, signal: controller.signal }).then(
      (answer) => answer.status,
      () => "none",
    );
    await happened;
    assert.equal(actual, status);
    assert.equal(fixture.forge.pulls.all.length, made);
    assert.equal((await call(fixture.forge, "POST", "/pulls", { body: PULL })).status, made === 1 ? 422 : 201);
  });
