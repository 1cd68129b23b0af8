import assert from "node:assert/strict";
import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createFixture } from "../support/create-fixture.ts";

const DAY_MS = 86_400_000;

test("deletes temporary files of a killed panel after a day, and no newer ones", async () => {
  await using fixture = await createFixture();
  const aged = async (path: string, ageMs: number) => utimes(path, new Date(), new Date(fixture.now() - ageMs));
  for (const folder of ["quarantine", "incoming"])
    for (const [name, ageMs] of [
      ["old", DAY_MS + 1000],
      ["young", DAY_MS - 1000],
    ] as const) {
      const path = join(fixture.folder, folder, name);
      await mkdir(path, { recursive: true });
      await writeFile(join(path, "bytes"), "half of a bundle");
      await aged(path, ageMs);
    }
  await fixture.deliveryServices.sweep();
  for (const folder of ["quarantine", "incoming"])
    assert.deepEqual(await readdir(join(fixture.folder, folder)), ["young"], folder);
});
