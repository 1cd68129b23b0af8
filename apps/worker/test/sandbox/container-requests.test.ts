import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { workerCommand } from "../../src/command/worker-command.ts";
import { inContainer, makeImages } from "./images.ts";
import { openSandbox } from "./open-sandbox.ts";

test("reports an image that does not fit this machine in one sentence", inContainer, async () => {
  using images = makeImages();
  await assert.rejects(
    images.open("absent:1"),
    /^Error: --isolation container: \S*engine has no image absent:1: .*image not known/,
  );
  images.describe("foreign:1", { Architecture: "s390x" });
  await assert.rejects(
    images.open("foreign:1"),
    /foreign:1 is an image for linux\/s390x; this machine is linux\/\w+\.$/,
  );
  images.describe("windows:1", { Os: "windows" });
  await assert.rejects(images.open("windows:1"), /is an image for windows\/\w+; this machine is linux/);
  images.describe("strange:1", { Id: "../../etc" });
  await assert.rejects(images.open("strange:1"), /the engine's description of strange:1 cannot be parsed/);
  await assert.rejects(images.open("tools:1", ["no-such-engine"]), /container: no-such-engine was not found in PATH/);
  rmSync(join(images.root, "bin/sh"));
  await assert.rejects(images.open(), /container: cannot start \/bin\/sh in tools:1: .*\/bin\/sh/);
});

test("rejects a container without an image, and an image for a lower isolation level", async () => {
  const stderr: string[] = [];
  const tried = async (...args: readonly string[]) => {
    const command = workerCommand({ PANEL_TOKEN: "lic_none" }).configureOutput({
      writeErr: (text) => void stderr.push(text),
    });
    await assert.rejects(command.parseAsync(args, { from: "user" }), { name: "CommanderError" });
  };
  await tried("--isolation", "container");
  await tried("--isolation", "sandbox", "--image", "tools:1");
  await tried("--engine", "podman");
  await tried("--image", "--privileged");
  await tried("--image", "tools:1", "--engine", " ");
  assert.match(
    stderr.join(""),
    /requires a local image[^]*not sandbox[^]*requires --image[^]*'--privileged' is invalid[^]*' ' is invalid/,
  );
});

test("uses an image of podman as the system, and leaves nothing in podman", inContainer, async (t) => {
  using images = makeImages();
  const [store, archive] = [join(images.folder, "store"), join(images.folder, "archive.tar")];
  const engine = ["podman", "--storage-driver=vfs", "--root", store, "--runroot", join(images.folder, "run")];
  const podman = (...args: readonly string[]) => {
    const result = spawnSync("podman", [...engine.slice(1), ...args], { encoding: "utf8" });
    return { isDone: result.status === 0, says: result.stdout, why: result.error?.message ?? result.stderr.trim() };
  };
  execFileSync("tar", ["-cf", archive, "-C", images.root, "."]);
  const made = podman("import", "--quiet", "--change", "ENV OF_IMAGE=yes", archive, "localhost/tools:1");
  // Requires podman, and root or subordinate user ids.
  if (!made.isDone) return t.skip(`podman makes no image here: ${made.why.split("\n").at(-1)}`);

  const { sandboxes } = await images.open("localhost/tools:1", engine);
  await using sandbox = await openSandbox({ sandboxes });
  assert.equal((await sandbox.run("cat /release; echo $OF_IMAGE")).output, "ID=of-the-image\nyes\n");
  assert.equal(podman("ps", "--all", "--quiet").says, "");
});
