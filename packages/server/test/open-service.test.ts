import assert from "node:assert/strict";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openService } from "../src/index.ts";

async function createFixture() {
  const root = await mkdtemp(join(tmpdir(), "open-service-"));
  const folder = join(root, "data");
  return {
    folder,
    config: { TRIPTYCH_DATA: folder, NODE_ENV: "development", LOG_LEVEL: "silent" },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

const ADDRESS = { url: "http://127.0.0.1:1", tryFirst: "http://127.0.0.1:1/docs" };

test("closes everything in reverse order if a step of startup fails", async () => {
  await using fixture = await createFixture();
  const closed: string[] = [];
  const starting = async () => {
    await using service = await openService({ name: "bank", config: fixture.config });
    for (const name of ["store", "server"]) service.opened.defer(() => void closed.push(name));
    throw new Error("the port is taken");
  };

  await assert.rejects(starting(), /port is taken/);
  assert.deepEqual(closed, ["server", "store"]);
});

test("keeps everything open until the running service is stopped, and closes it once", async () => {
  await using fixture = await createFixture();
  let closed = 0;
  const start = async () => {
    await using service = await openService({ name: "bank", config: fixture.config });
    service.opened.defer(() => void closed++);
    return service.running({ ...ADDRESS, notes: ["a note"] });
  };

  const running = await start();
  assert.deepEqual([closed, running.url, running.notes], [0, ADDRESS.url, ["a note"]]);
  await Promise.all([running.stop(), running.stop()]);
  assert.equal(closed, 1);
});

test("creates the data folder for its owner only", async () => {
  await using fixture = await createFixture();
  await using service = await openService({ name: "bank", config: fixture.config });

  assert.equal(service.dataFolder, fixture.folder);
  assert.equal((await stat(fixture.folder)).mode & 0o777, 0o700);
  assert.equal(service.isProduction, false);
});
