/**
 * `npm run e2e:containers`: builds both images with buildah, and starts them as user 10001 on a read-only root. Needs root, buildah,
 * mmdebstrap, bubblewrap, a Debian mirror and a package registry.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chown, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { ask, createBareRepository, keysOf, waitForEnd, type RequestOptions } from "../../test/support/panel-api.ts";
import { openInstallation } from "../../test/support/product.ts";
import { freePort } from "../processes.ts";
import {
  buildImages,
  configOf,
  megabytesAbove,
  REQUIRED,
  startContainer,
  type Container,
  type Images,
} from "./images.ts";

const lacking = REQUIRED.filter((program) => spawnSync(program, ["--version"]).error !== undefined);
const skip = process.getuid?.() !== 0 ? "needs root" : lacking.length > 0 && `${lacking.join(", ")} not installed`;
const ABOVE_BASE_MB_MAX = 300;
const SERVICES = ["directory", "rail", "router", "gateway", "panel"];
const START_MS = 120_000;

let folder = "";
let images: Images;

before(async () => {
  if (skip !== false) return;
  folder = await mkdtemp(join(tmpdir(), "triptych-containers-"));
  images = await buildImages(folder);
});
after(() => rm(folder, { recursive: true, force: true }));

async function until<T>(container: Container, query: () => Promise<T | false>): Promise<T> {
  const deadline = Date.now() + START_MS;
  for (;;) {
    const found = await query().catch(() => false as const);
    if (found !== false) return found;
    if (container.child.exitCode !== null || Date.now() > deadline) assert.fail(container.output());
    await wait(100);
  }
}

const isReady = (port: number) => async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok;

async function portsOf(names: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const ports = names.map(async (name) => [`${name.toUpperCase()}_PORT`, String(await freePort())] as const);
  return Object.fromEntries(await Promise.all(ports));
}

/** The command of HEALTHCHECK, run as an engine does. */
async function isHealthy(container: Container, image: string, url: string): Promise<boolean> {
  const [kind, ...command] = (await configOf(image)).Healthcheck?.Test ?? [];
  assert.equal(kind, "CMD");
  return container.run(command, { HEALTH_URL: url }).then(
    () => true,
    () => false,
  );
}

describe("the image of the services", { skip }, () => {
  test("adds less than 300 MB to its base, and has labels and its own user", async () => {
    const size = await megabytesAbove(images.services, images.base);
    process.stdout.write(`services: ${size.toFixed(1)} MB above the base\n`);
    process.stdout.write(
      `worker: ${(await megabytesAbove(images.worker, images.base)).toFixed(1)} MB above the base\n`,
    );
    assert.ok(size < ABOVE_BASE_MB_MAX, `${size} MB`);
    const { User, StopSignal, Labels } = await configOf(images.services);
    assert.deepEqual([User, StopSignal], ["10001", "SIGTERM"]);
    assert.equal(Labels["org.opencontainers.image.licenses"], "MIT");
  });

  for (const service of SERVICES)
    test(`starts ${service}, is healthy, and stops on SIGTERM`, async () => {
      const variables: Readonly<Record<string, string>> = {
        ...(await portsOf([service])),
        PANEL_EMBEDDED_WORKER: "0",
        RAIL_ALLOW_TEST_PAYMENTS: "1",
      };
      const port = Number(variables[`${service.toUpperCase()}_PORT`]);
      const data = join(folder, `data-${service}`);
      const options = { image: images.services, data, command: ["start", service], variables };
      await using container = await startContainer(options);
      // A gateway alone is alive and not ready: it has neither router nor rail.
      const path = service === "gateway" ? "livez" : "readyz";
      const url = `http://127.0.0.1:${port}/${path}`;
      await until(container, async () => (await fetch(url)).ok);
      assert.equal(await isHealthy(container, images.services, url), true);
      assert.equal(await isHealthy(container, images.services, `http://127.0.0.1:${port}/api/nothing`), false);
      await assert.rejects(container.run(["touch", "/app/written"]), /Read-only file system/);
      await assert.rejects(container.run(["sh", "-c", "test $(id -u) = 0"]));
      assert.equal(await container.stop(), 0, container.output());
    });

  test("starts all of them on a public address except the rail, and says what it needs", async () => {
    const variables: Readonly<Record<string, string>> = { ...(await portsOf(SERVICES)), PANEL_EMBEDDED_WORKER: "0" };
    await using container = await startContainer({ image: images.services, data: join(folder, "data-all"), variables });
    await until(container, isReady(Number(variables["DIRECTORY_PORT"])));
    await until(container, () => Promise.resolve(/Not started: rail\. /.test(container.output())));
    assert.match(container.output(), /Set RAIL_PROVIDER to manual or stripe/);
    const credentials = JSON.parse(await readFile(join(container.data, "credentials.json"), "utf8"));
    const { status } = await ask(`http://127.0.0.1:${variables["DIRECTORY_PORT"]}/api/items?q=rennes`, {
      headers: { "X-API-Key": credentials.directory.pro_key },
    });
    assert.equal(status, 200);
    assert.equal(await container.stop(), 0, container.output());
  });

  test("reports an invalid environment with exit code 2, and writes nothing", async () => {
    const data = join(folder, "data-invalid");
    const variables = { PANEL_PORT: "many", DIRECTORY_ENGINE: "none" };
    await using container = await startContainer({ image: images.services, data, variables });
    const code = await new Promise((resolve) => container.child.once("exit", resolve));
    assert.equal(code, 2);
    assert.match(container.output(), /DIRECTORY_ENGINE: .*PANEL_PORT: /);
    await assert.rejects(readFile(join(data, "secret-key")), { code: "ENOENT" });
  });
});

const FIX = ["/bin/sh", "-c", "sed -i 's/a - b/a + b/' sum.mjs"];
const FILES = {
  "sum.mjs": "export const sum = (a, b) => a - b;\n",
  "test.mjs": 'import { sum } from "./sum.mjs";\nif (sum(2, 3) !== 5) throw new Error("the sum is wrong");\n',
};

test("a worker container finishes a run of a command agent", { skip }, async () => {
  await using installation = await openInstallation();
  const panel = await installation.startPanel({ PANEL_ALLOW_LOCAL_REPOS: "1" });
  const { access_token: token, license_key: license } = await keysOf(installation.folder);
  const api = (path: string, options: RequestOptions = {}) => ask(panel.url + path, { token, ...options });
  const data = join(folder, "data-worker");
  await mkdir(data, { mode: 0o700 });
  await writeFile(join(data, "key"), license, { mode: 0o600 });
  await chown(join(data, "key"), 10_001, 10_001);
  const command = ["worker", "--work-dir", "/data/work", "--panel", panel.url, "--token-file", "/data/key"];
  await using container = await startContainer({ image: images.worker, data, command });
  await until(container, async () => (await api("/api/worker/status")).body.workers.length > 0);
  const bare = join(installation.folder, "own.git");
  await createBareRepository(bare, FILES);
  const body = {
    url: bare,
    verify_cmd: "node test.mjs",
    isolation: { level_required: "worktree" },
    team: { preset: "solo", members: [{ role: "coder", cli: "command", command: FIX }] },
  };
  const repo = await api("/api/repos", { method: "POST", body });
  assert.equal(repo.status, 201, repo.text);
  const run = await api(`/api/repos/${repo.body.id}/run`, { method: "POST", body: { focus: "Repair the sum." } });
  await waitForEnd(api, run.body.id);
  const { state, verify } = (await api(`/api/runs/${run.body.id}`)).body;
  assert.deepEqual([state, verify.verdict], ["pushed", "passed"], container.output());
  assert.equal(await container.stop(), 0);
});
