import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, test } from "node:test";
import { answersProbe, ArtifactError, loadBundledModels } from "@triptych/decisions";
import { smallArtifacts, smallFiles } from "./support/small-artifacts.ts";

/** A release folder with small files. */
async function openRelease() {
  const folder = await mkdtemp(join(tmpdir(), "triptych-release-"));
  const probe = Buffer.from(JSON.stringify(smallArtifacts().probe));
  const files = new Map<string, Uint8Array>([...smallFiles(), ["probe.json", probe]]);
  for (const [name, bytes] of files) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), bytes);
  }
  const hashes = [...files].map(([name, bytes]) => [name, createHash("sha256").update(bytes).digest("hex")]);
  await writeFile(join(folder, "manifest.json"), JSON.stringify(Object.fromEntries(hashes)));
  return {
    folder,
    names: [...files.keys()],
    open: () => loadBundledModels(pathToFileURL(`${folder}/`)),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

describe("the trained files of a release", () => {
  test("open when every digest matches its pin, and reproduce their probe results exactly", async () => {
    await using release = await openRelease();
    const artifacts = release.open();
    assert.deepEqual([...artifacts.experts.keys()], ["helpdesk", "tools"]);
    assert.ok(answersProbe(artifacts, artifacts.probe));
    assert.ok(!answersProbe(artifacts, { ...artifacts.probe, state: "something else" }));
  });

  test("are rejected with a message if one differs in a byte or is missing", async () => {
    await using release = await openRelease();
    for (const name of release.names) {
      const file = join(release.folder, name);
      const bytes = await readFile(file);
      const changed = Buffer.from(bytes);
      changed[Math.floor(changed.length / 2)] ^= 1;
      await writeFile(file, changed);
      assert.throws(release.open, (error) => isArtifactError(error, "bad_checksum") && error.message.includes(name));
      await rm(file);
      assert.throws(
        release.open,
        (error) => isArtifactError(error, "not_an_artifact") && /Install the release again/.test(error.message),
      );
      await writeFile(file, bytes);
    }
    assert.equal(release.open().experts.size, 2);
  });

  test("are rejected without pinned digests", async () => {
    await using release = await openRelease();
    await cp(join(release.folder, "probe.json"), join(release.folder, "manifest.json"));
    assert.throws(release.open, (error) => isArtifactError(error, "not_an_artifact"));
    await rm(join(release.folder, "manifest.json"));
    assert.throws(release.open, (error) => isArtifactError(error, "not_an_artifact") && /manifest/.test(error.message));
  });
});

function isArtifactError(error: unknown, code: string): error is ArtifactError {
  return error instanceof ArtifactError && error.code === code;
}
