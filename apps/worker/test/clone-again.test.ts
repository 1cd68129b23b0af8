import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createServer, request } from "node:http";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { test } from "node:test";
import { startForge } from "@triptych/fake-forge";
import type { Clock } from "../src/run/clock.ts";
import { findBase } from "../src/git/base.ts";
import { createMirrors } from "../src/git/clone.ts";
import { makeRepository, RED_FILES } from "./support/repository.ts";

const TOKEN = "token-of-this-run";
const INSTANT_CLOCK: Clock = { now: () => 0, random: () => 0, wait: async () => {} };

type Fate = "cut" | "unavailable" | "passed on";

/** A relay in front of a forge: the first requests fail as listed, all others are forwarded. */
async function startRelay(target: string, fates: Fate[]) {
  const requests: string[] = [];
  const server = createServer((incoming, answer) => {
    requests.push(`${incoming.method} ${incoming.url?.split("?")[0]}`);
    const fate = fates.shift() ?? "passed on";
    if (fate === "cut") return void incoming.socket.destroy();
    if (fate === "unavailable") return void answer.writeHead(502).end();
    const { method, headers } = incoming;
    const onward = request(new URL(incoming.url ?? "/", target), { method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 500, response.headers);
      response.pipe(answer);
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/acme/sum.git`;
  return { url, requests, [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}

test("retries a clone across a panel restart, and sends a refused request once", async () => {
  await using repository = makeRepository(RED_FILES);
  await using forge = await startForge({ folder: join(repository.folder, "forge"), token: TOKEN });
  const pushTo = `${forge.url}/acme/sum.git`.replace("http://", `http://any:${TOKEN}@`);
  await promisify(execFile)("git", ["-C", repository.bare, "push", "--quiet", pushTo, "main"]);
  const { signal } = new AbortController();
  const environment = { PATH: process.env["PATH"] ?? "", HOME: repository.folder };
  const fates: Fate[] = ["cut", "unavailable", "passed on", "passed on", "cut", "cut", "unavailable"];
  await using relay = await startRelay(forge.url, fates);
  const options = { url: relay.url, branch: null, sha: null, environment, signal, clock: INSTANT_CLOCK };
  const base = await findBase({ ...options, bearer: TOKEN });
  assert.deepEqual(base, { branch: "main", sha: repository.sha });

  const run = join(repository.folder, "run");
  mkdirSync(run, { recursive: true });
  const target = { gitFolder: join(run, "git"), tree: join(run, "tree"), environment, signal, timeoutMs: 60_000 };
  const cloneRequest = { repository: "sum", url: relay.url, ...base, bearer: TOKEN };
  const git = await createMirrors(join(repository.folder, "mirrors"), INSTANT_CLOCK).checkOut(cloneRequest, {
    ...target,
    bytes: null,
  });
  assert.equal((await git.run(["rev-parse", "HEAD"])).toString().trim(), repository.sha);
  assert.equal(fates.length, 0);

  // A git that is killed in the middle of a fetch leaves its locks.
  const [mirror = ""] = readdirSync(join(repository.folder, "mirrors"));
  for (const name of ["HEAD", "packed-refs", "refs/heads/main"])
    writeFileSync(join(repository.folder, "mirrors", mirror, `${name}.lock`), "");
  const bare = ["-C", join(repository.folder, "forge", "acme", "sum.git")];
  const author = ["-c", "user.name=Ada", "-c", "user.email=ada@example.test"];
  const commit = [...bare, ...author, "commit-tree", "-p", "main", "-m", "Next", "main^{tree}"];
  const next = (await promisify(execFile)("git", commit)).stdout.trim();
  await promisify(execFile)("git", [...bare, "update-ref", "refs/heads/main", next]);
  const again = { gitFolder: join(run, "git-2"), tree: join(run, "tree-2"), environment, signal, timeoutMs: 60_000 };
  await createMirrors(join(repository.folder, "mirrors"), INSTANT_CLOCK).checkOut(
    { ...cloneRequest, sha: next },
    { ...again, bytes: null },
  );

  relay.requests.length = 0;
  await assert.rejects(findBase({ ...options, bearer: "another" }), { code: "clone_failed" });
  assert.deepEqual(relay.requests, ["GET /acme/sum.git/info/refs"]);
});

test("retries a panel's server error three times", async () => {
  await using relay = await startRelay("http://127.0.0.1:9", Array<Fate>(9).fill("unavailable"));
  const { signal } = new AbortController();
  const environment = { PATH: process.env["PATH"] ?? "" };
  const options = { url: relay.url, bearer: TOKEN, branch: null, sha: null, environment, signal, clock: INSTANT_CLOCK };
  await assert.rejects(findBase(options), { code: "clone_failed", message: /returned error: 502/ });
  assert.equal(relay.requests.length, 4);
});
