/** Backup, restore and rotation of the secret beside a running product under load, killed at random points. */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { startLoad, unreadableValues } from "./support/stored-values.ts";
import { openInstallation, type Installation, type Product } from "./support/product.ts";

const KILLS = 20;
/** The share of a command's duration at which it is killed: reproducible, and spread over all of it. */
const POINTS = Array.from({ length: KILLS }, (_, index) => (index + 0.5) / KILLS);
const NAMES = ["directory", "rail", "router", "gateway", "panel"];

describe("a backup under load", () => {
  test("restores into an empty folder with a whole ledger, the same version and complete runs", async () => {
    await using installation = await openInstallation();
    const product = await installation.start();
    const load = await startLoad(installation, product);
    await load.until(60);
    const folder = join(installation.folder, "backup");
    const backedUp = await installation.run(["backup", folder]);
    assert.equal(backedUp.code, 0, backedUp.stderr);
    const { decisions, repos, runs } = await load.stop();
    assert.deepEqual(load.failures(), []);
    assert.ok(decisions > 0 && repos > 0 && runs > 0);
    const before = await published(product);

    const target = join(installation.folder, "restored");
    const restored = await installation.run(["restore", folder, "--data", target]);
    assert.equal(restored.code, 0, restored.stderr);
    assert.match(restored.stdout, /rail +entries \d+, transfers \d+, accounts \d+/);
    const audited = await installation.run(["rail", "audit"], {
      TRIPTYCH_DATA: target,
      ...(await secretOf(installation)),
    });
    assert.equal(audited.code, 0, audited.stderr);
    assert.match(audited.stdout, /No violations found/);
    assert.deepEqual(await unreadableValues(target, await secretsOf(installation)), []);

    await product.end("SIGTERM");
    const again = await installation.start({ TRIPTYCH_DATA: target, ...(await secretOf(installation)) });
    assert.equal(await published(again), before);
    for (const name of NAMES) assert.equal((await fetch(`${again.addressOf(name)}/readyz`)).status, 200, name);
  });

  test("leaves no target or a whole one when it is killed, and a product that serves", async () => {
    await using installation = await openInstallation();
    const product = await installation.start();
    const load = await startLoad(installation, product);
    const took = await timeOf(() => installation.run(["backup", join(installation.folder, "whole")]));
    for (const [index, point] of POINTS.entries()) {
      const folder = join(installation.folder, `backup-${index}`);
      await installation.killAfter(["backup", folder], took * point);
      const names = await readdir(folder).catch(() => null);
      if (names !== null) assert.ok(names.includes("manifest.json"));
      for (const name of NAMES) assert.equal((await fetch(`${product.addressOf(name)}/readyz`)).status, 200, name);
    }
    await load.stop();
    const last = join(installation.folder, `backup-${KILLS - 1}`);
    const isThere = (await readdir(last).catch(() => null)) !== null;
    if (!isThere) assert.equal((await installation.run(["backup", last])).code, 0);
    const restored = await installation.run(["restore", last, "--data", join(installation.folder, "restored")]);
    assert.equal(restored.code, 0, restored.stderr);
  });

  test("is restored as a whole or not at all when the restore is killed", async () => {
    await using installation = await openInstallation();
    const product = await installation.start();
    const folder = join(installation.folder, "backup");
    assert.equal((await installation.run(["backup", folder])).code, 0);
    await product.end("SIGTERM");
    const took = await timeOf(() =>
      installation.run(["restore", folder, "--data", join(installation.folder, "whole")]),
    );
    for (const [index, point] of POINTS.entries()) {
      const target = join(installation.folder, `restored-${index}`);
      await installation.killAfter(["restore", folder, "--data", target], took * point);
      const names = await readdir(target).catch(() => null);
      if (names !== null) for (const name of NAMES) assert.ok(names.includes(`${name}.db`));
      else assert.equal((await installation.run(["restore", folder, "--data", target])).code, 0);
    }
    const check = await installation.run(["restore", folder, "--data", join(installation.folder, "last")]);
    assert.equal(check.code, 0, check.stderr);
  });
});

describe("a rotation of the secret under load", () => {
  test("loses no encrypted value when it is killed, and ends with the newest key alone", async () => {
    await using installation = await openInstallation();
    const product = await installation.start();
    const load = await startLoad(installation, product);
    await load.until(30);
    const [first] = await secretsOf(installation);
    const took = await timeOf(() => installation.run(["secret", "rotate"]));
    for (const point of POINTS) {
      await installation.killAfter(["secret", "rotate"], took * point);
      assert.deepEqual(await unreadableValues(dataOf(installation), await secretsOf(installation)), []);
      assert.deepEqual(load.failures(), []);
    }
    const { repos, decisions } = await load.stop();
    assert.ok(repos > 20 && decisions > 20);
    const ended = await installation.run(["secret", "rotate"]);
    assert.equal(ended.code, 0, ended.stderr);
    const document = await readFile(new URL("../docs/backup.md", import.meta.url), "utf8");
    assert.deepEqual(valuesIn(document), valuesIn(ended.stdout));
    const [newest, ...others] = await secretsOf(installation);
    assert.notEqual(newest, first);
    // The gateway's responses expire on their own; everything else is encrypted with the newest key.
    assert.ok(others.length <= 1);
    assert.deepEqual(await unreadableValues(dataOf(installation), [newest]), []);
    await product.end("SIGTERM");
    const again = await installation.start();
    assert.equal(await load.replays(again), repos);
  });
});

/** First columns of the table that a rotation prints: service and kind of value. */
function valuesIn(text: string): string[] {
  const [, rows = ""] = /^service +values .*\n((?:[a-z]+ .*\n)+)/m.exec(text) ?? [];
  return rows.split("\n").map((row) => row.replace(/(\S) {2,}\d.*$/, "$1"));
}

function dataOf({ folder }: Installation): string {
  return join(folder, "data");
}

async function secretsOf(installation: Installation): Promise<readonly string[]> {
  const read = (name: string) => readFile(join(dataOf(installation), name), "utf8").catch(() => "");
  const found = [await read("secret-key"), await read("secret-key.previous")].map((text) => text.trim());
  return found.filter((text) => text !== "");
}

async function secretOf(installation: Installation): Promise<{ readonly TRIPTYCH_SECRET: string }> {
  const [newest = ""] = await secretsOf(installation);
  return { TRIPTYCH_SECRET: newest };
}

async function published(product: Product): Promise<string> {
  const response = await fetch(`${product.addressOf("directory")}/metrics`);
  const line = /^directory_version\S*.*$/m.exec(await response.text())?.[0];
  return line ?? "";
}

async function timeOf(work: () => Promise<{ readonly code: number | null; readonly stderr: string }>): Promise<number> {
  const startedAt = performance.now();
  const { code, stderr } = await work();
  assert.equal(code, 0, stderr);
  return performance.now() - startedAt;
}
