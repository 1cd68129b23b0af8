import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { findProgram } from "../../src/agents/find-program.ts";
import { gateLine } from "../../src/scouts/gate-command/gate-protocol.ts";
import { createMend } from "../../src/scouts/mend/mend.ts";
import { git, makeRepository } from "../support/repository.ts";
import { runStory } from "../support/run-story.ts";

const skip = (await findProgram("npm", process.env)) === undefined ? "npm is not in PATH" : false;
const ELSEWHERE = "http://127.0.0.1:1/elsewhere/";

const FILES = {
  "package.json": `${JSON.stringify({ name: "app", version: "1.0.0", dependencies: { left: "^1.0.0" } }, null, 2)}\n`,
  "package-lock.json": `${JSON.stringify(
    {
      name: "app",
      version: "1.0.0",
      lockfileVersion: 3,
      packages: {
        "": { name: "app", version: "1.0.0", dependencies: { left: "^1.0.0" } },
        "node_modules/left": {
          version: "1.0.0",
          resolved: `${ELSEWHERE}left/-/left-1.0.0.tgz`,
          integrity: "sha512-old",
        },
      },
    },
    null,
    2,
  )}\n`,
  // A repository must not choose the worker's registry.
  ".npmrc": `registry=${ELSEWHERE}\n`,
};

/** The part of a registry that npm needs for a lock file: versions and package metadata. */
async function startRegistry(token: string | null = null) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    if (token !== null && request.headers.authorization !== `Bearer ${token}`)
      return void response.writeHead(401).end();
    requests.push(request.url ?? "");
    const address = `http://${request.headers.host}`;
    const version = (number: string) => ({
      name: "left",
      version: number,
      dist: { tarball: `${address}/left/-/left-${number}.tgz`, integrity: `sha512-${"A".repeat(86)}==` },
    });
    response.writeHead(request.url === "/left" ? 200 : 404, { "content-type": "application/json" });
    const versions = { "1.0.0": version("1.0.0"), "2.1.0": version("2.1.0") };
    response.end(JSON.stringify({ name: "left", "dist-tags": { latest: "2.1.0" }, versions }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const bound = server.address();
  return {
    address: `http://127.0.0.1:${typeof bound === "object" ? bound?.port : ""}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

test("updates package.json and the lock file with `mend`, from the worker's registry only", { skip }, async () => {
  await using registry = await startRegistry();
  await using repository = makeRepository(FILES);
  const command = gateLine("dep-at-least", "left", "2.1.0");
  const { outcome } = await runStory(repository, {
    agent: createMend(command, { year: 2030, registryAddress: async () => registry.address }),
    request: {
      verify: { command: null, setupCommand: null, timeoutS: 60, retries: 0, baseline: true },
      gate: { command, baseline: "must_fail", timeoutS: 60, frozenPaths: [] },
    },
  });
  assert.ok(outcome.kind === "delivered", JSON.stringify(outcome));
  assert.equal(outcome.report.verdict, "passed");
  assert.ok(registry.requests.includes("/left") && !registry.requests.some((path) => path.endsWith(".tgz")));
  const quarantine = join(repository.folder, "quarantine.git");
  git(repository.folder, "clone", "--quiet", "--bare", repository.bare, quarantine);
  git(quarantine, "fetch", "--quiet", outcome.bundle.path, `refs/heads/${outcome.branch}:refs/heads/arrived`);
  const changed = git(quarantine, "diff", "--name-only", "main", "arrived");
  assert.deepEqual(changed.split("\n"), ["package-lock.json", "package.json"]);
  const lock = JSON.parse(git(quarantine, "show", "arrived:package-lock.json"));
  const left = lock.packages["node_modules/left"];
  assert.deepEqual([left.version, left.resolved], ["2.1.0", `${registry.address}/left/-/left-2.1.0.tgz`]);
  assert.match(git(quarantine, "show", "arrived:package.json"), /"left": "\^2\.1\.0"/);
});

test("uses a private registry whose token is a variable of the setup command", { skip }, async () => {
  await using registry = await startRegistry("sesame-sesame");
  const npmrc = `registry=${registry.address}\n//${new URL(registry.address).host}/:_authToken=\${NPM_TOKEN}\n`;
  await using repository = makeRepository({ ...FILES, ".npmrc": npmrc });
  const command = gateLine("dep-at-least", "left", "2.1.0");
  const { outcome } = await runStory(repository, {
    agent: createMend(command, { year: 2030, registryAddress: async () => ELSEWHERE }),
    request: {
      verify: { command: null, setupCommand: null, timeoutS: 60, retries: 0, baseline: true },
      gate: { command, baseline: "must_fail", timeoutS: 60, frozenPaths: [] },
      environment: [{ name: "NPM_TOKEN", value: "sesame-sesame", sealed: true }],
    },
  });
  assert.ok(outcome.kind === "delivered", JSON.stringify(outcome));
  assert.ok(registry.requests.includes("/left"));
});
