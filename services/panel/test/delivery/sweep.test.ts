import assert from "node:assert/strict";
import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { openScene } from "../support/create-fixture.ts";

const DAY_MS = 86_400_000;

test("what a killed panel had in hand is removed after a day, and nothing of today", async () => {
  await using scene = await openScene();
  const aged = async (place: string, ageMs: number) => utimes(place, new Date(), new Date(scene.now() - ageMs));
  for (const folder of ["quarantine", "incoming"])
    for (const [name, ageMs] of [
      ["old", DAY_MS + 1000],
      ["young", DAY_MS - 1000],
    ] as const) {
      const place = join(scene.folder, folder, name);
      await mkdir(place, { recursive: true });
      await writeFile(join(place, "bytes"), "half of a bundle");
      await aged(place, ageMs);
    }
  await scene.handover.sweep();
  for (const folder of ["quarantine", "incoming"])
    assert.deepEqual(await readdir(join(scene.folder, folder)), ["young"], folder);
});
