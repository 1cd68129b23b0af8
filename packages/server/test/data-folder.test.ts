import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ConfigError } from "@triptych/config";
import { openDataFolder } from "../src/data-folder.ts";

async function createFixture() {
  const root = await mkdtemp(join(tmpdir(), "data-folder-"));
  const path = join(root, "data");
  const warnings: { readonly path: string; readonly message: string }[] = [];
  const logger = {
    warn: (details: { readonly path: string }, message: string) => void warnings.push({ path: details.path, message }),
  };
  return {
    path,
    warnings,
    open: (isProduction: boolean) => openDataFolder({ path, isProduction, logger }),
    async write(name: string, mode: number) {
      await writeFile(join(path, name), "x");
      await chmod(join(path, name), mode);
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true }),
  };
}

const modeOf = async (path: string) => (await stat(path)).mode & 0o7777;

test("creates a missing data folder with mode 0700, and accepts it again in production", async () => {
  await using fixture = await createFixture();
  assert.equal(await fixture.open(true), fixture.path);
  assert.equal(await modeOf(fixture.path), 0o700);
  await fixture.write("secret-key", 0o600);
  await fixture.open(true);
  assert.deepEqual(fixture.warnings, []);
});

test("production rejects a data folder and secret files that other users can access, and changes nothing", async () => {
  await using fixture = await createFixture();
  await mkdir(fixture.path);
  await chmod(fixture.path, 0o750);
  await fixture.write("secret-key", 0o644);
  await fixture.write("credentials.json", 0o640);
  await fixture.write("service-token", 0o600);
  await assert.rejects(fixture.open(true), (error) => {
    assert.ok(error instanceof ConfigError);
    for (const part of [`${fixture.path} (mode 0750)`, "secret-key (mode 0644)", "credentials.json (mode 0640)"])
      assert.ok(error.message.includes(part), part);
    assert.ok(!error.message.includes("service-token"));
    return true;
  });
  assert.equal(await modeOf(join(fixture.path, "secret-key")), 0o644);
});

test("development restricts access to its data folder and secret files, and logs each change", async () => {
  await using fixture = await createFixture();
  await mkdir(fixture.path);
  await chmod(fixture.path, 0o777);
  await fixture.write("secret-key", 0o644);
  await fixture.open(false);
  assert.equal(await modeOf(fixture.path), 0o700);
  assert.equal(await modeOf(join(fixture.path, "secret-key")), 0o600);
  assert.deepEqual(
    fixture.warnings.map(({ path }) => path),
    [fixture.path, join(fixture.path, "secret-key")],
  );
  await fixture.open(true);
});

test("development leaves the mode of a possibly shared folder unchanged, and warns", async () => {
  await using fixture = await createFixture();
  await mkdir(fixture.path);
  await chmod(fixture.path, 0o1777);
  await fixture.write("secret-key", 0o600);
  await fixture.open(false);
  assert.equal(await modeOf(fixture.path), 0o1777);
  assert.match(fixture.warnings[0]?.message ?? "", /run chmod 700/);
});
