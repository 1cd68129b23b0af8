/** Bundles and artifacts of real runs in an emulator of S3, with a backup and a restore of them. */
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { ask, keysOf } from "../../test/support/panel-api.ts";
import { openInstallation, type Installation, type Product } from "../../test/support/product.ts";

interface Emulator {
  run(): Promise<{ readonly port: number }>;
  close(): Promise<void>;
}

/** Its package has no types. */
const S3rver = createRequire(import.meta.url)("@20minutes/s3rver") as new (options: object) => Emulator;

const KEYS = { AWS_ACCESS_KEY_ID: "S3RVER", AWS_SECRET_ACCESS_KEY: "S3RVER" };
const WRONG = "wrong-secret-of-the-tests";

describe("BLOB_URL with an emulator of S3", () => {
  test("stores what runs deliver, and restores it from a backup into another prefix", async () => {
    await using storage = await startStorage();
    await using installation = await openInstallation();
    const variables = { ...KEYS, BLOB_URL: storage.urlOf("panel") };
    const panel = await installation.startPanel({ ...variables, PANEL_EMBEDDED_WORKER: "1" });
    const id = await pushedRun(installation, panel);
    const before = await storage.names("panel");
    assert.ok(before.length > 0);
    const diff = await diffOf(installation, panel, id);

    const [slim, whole] = [join(installation.folder, "slim"), join(installation.folder, "whole")];
    const referred = await installation.run(["backup", slim, "panel"], variables);
    assert.equal(referred.code, 0, referred.stderr);
    assert.match(referred.stdout, /stay where BLOB_URL says/);
    const copied = await installation.run(["backup", whole, "panel", "--blobs"], variables);
    assert.equal(copied.code, 0, copied.stderr);
    await panel.end("SIGTERM");

    const elsewhere = {
      ...variables,
      BLOB_URL: storage.urlOf("other"),
      TRIPTYCH_DATA: join(installation.folder, "restored"),
    };
    const restored = await installation.run(["restore", whole], elsewhere);
    assert.equal(restored.code, 0, restored.stderr);
    const after = await storage.names("other");
    assert.ok(after.length > 0 && after.every((name) => before.includes(name)));
    const TRIPTYCH_SECRET = (await readFile(join(installation.folder, "data", "secret-key"), "utf8")).trim();
    const again = await installation.startPanel({ ...elsewhere, TRIPTYCH_SECRET });
    assert.equal(await diffOf(installation, again, id), diff);
  });

  test("refuses a start with one sentence for a wrong bucket, a wrong key and a server that is down", async () => {
    await using storage = await startStorage();
    await using installation = await openInstallation();
    const start = (variables: Readonly<Record<string, string>>) =>
      installation.run(["start", "panel"], { ...KEYS, BLOB_URL: storage.urlOf("panel"), ...variables });
    const bucket = await start({ BLOB_URL: storage.urlOf("panel", "absent") });
    assert.match(bucket.stderr, /^BLOB_URL: the storage at http:\/\/127\.0\.0\.1:\d+ has no bucket named absent\.\n$/);
    const key = await start({ AWS_SECRET_ACCESS_KEY: WRONG });
    assert.match(key.stderr, /refuses access to the bucket blobs \(403\)\. Check AWS_ACCESS_KEY_ID/);
    assert.ok(!key.stderr.includes(WRONG) && !key.stdout.includes(WRONG));
    await storage.close();
    const down = await start({});
    assert.match(down.stderr, /cannot be reached \(ECONNREFUSED\), after 4 attempts/);
    assert.deepEqual([bucket.code, key.code, down.code], [1, 1, 1]);
  });
});

async function startStorage() {
  const folder = await mkdtemp(join(tmpdir(), "triptych-s3-"));
  const options = {
    address: "127.0.0.1",
    port: 0,
    silent: true,
    directory: folder,
    configureBuckets: [{ name: "blobs" }],
  };
  const emulator = new S3rver(options);
  const { port } = await emulator.run();
  let isOpen = true;
  const close = async () => {
    if (isOpen) await emulator.close();
    isOpen = false;
  };
  return {
    close,
    urlOf: (prefix: string, bucket = "blobs") => `s3://${bucket}/${prefix}?endpoint=http://127.0.0.1:${port}`,
    /** Hashes below a prefix. */
    async names(prefix: string): Promise<readonly string[]> {
      const files = await readdir(join(folder, "blobs", prefix));
      return [...new Set(files.map((name) => name.slice(0, 64)))];
    },
    async [Symbol.asyncDispose]() {
      await close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function tokenOf({ folder }: Pick<Installation, "folder">): Promise<string> {
  return (await keysOf(folder)).access_token;
}

/** The demo run of a first start. */
async function pushedRun(installation: Installation, panel: Product): Promise<string> {
  const token = await tokenOf(installation);
  for (;;) {
    const { body } = await ask(`${panel.url}/api/runs`, { token });
    const pushed = body.items.find((run: { state: string }) => run.state === "pushed");
    if (pushed !== undefined) return String(pushed.id);
    await pause(500);
  }
}

async function diffOf(installation: Pick<Installation, "folder">, panel: Product, id: string): Promise<string> {
  const response = await ask(`${panel.url}/api/runs/${id}/diff`, { token: await tokenOf(installation) });
  assert.equal(response.status, 200, response.text);
  return response.text;
}
