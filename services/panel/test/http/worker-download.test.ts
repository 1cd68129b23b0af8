import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createFixture } from "../support/create-fixture.ts";

const ARCHIVE = "not really an archive";
const SHA256 = createHash("sha256").update(ARCHIVE).digest("hex");

async function openWithPack(publicUrl: string) {
  const folder = await mkdtemp(join(tmpdir(), "worker-pack-"));
  const file = join(folder, "triptych-worker.tgz");
  await writeFile(file, ARCHIVE);
  const fixture = await createFixture({ workerPack: async () => file, publicUrl });
  return Object.assign(fixture, { remove: () => rm(folder, { recursive: true }) });
}

test("serves the packed worker, its SHA-256 and the script without a credential", async () => {
  await using fixture = await openWithPack("https://panel.example");
  const archive = await fixture.ask("GET", "/worker/triptych-worker.tgz");
  assert.deepEqual([archive.statusCode, archive.payload], [200, ARCHIVE]);
  const { statusCode, payload } = await fixture.ask("GET", "/worker/install.json");
  const expected = { panel: "https://panel.example", file: "triptych-worker.tgz", bytes: 21, sha256: SHA256 };
  assert.deepEqual([statusCode, JSON.parse(payload)], [200, expected]);
  const script = await fixture.ask("GET", "/worker/install.sh");
  assert.match(script.payload, new RegExp(`^configured='https://panel\\.example'$[^]*^served_sha256=${SHA256}$`, "m"));
  await fixture.remove();
});

test("takes the panel's address from its configuration, and quotes it for the shell", async () => {
  await using fixture = await openWithPack("https://panel.example/'$(id)'");
  const { payload } = await fixture.ask("GET", "/worker/install.sh", { headers: { host: "evil.example" } });
  assert.doesNotMatch(payload, /evil/);
  assert.match(payload, /^configured='https:\/\/panel\.example\/'\\''\$\(id\)'\\'''$/m);
  await fixture.remove();
});

test("answers 404 with a remedy if the worker cannot be packed", async () => {
  await using fixture = await createFixture({ workerPack: () => Promise.reject(new Error("no compiler")) });
  const { statusCode, payload } = await fixture.ask("GET", "/worker/install.sh");
  assert.equal(statusCode, 404);
  assert.match(JSON.parse(payload).detail, /npm ci/);
});
