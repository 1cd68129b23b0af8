/** Candidates of a scan that group the updates of a manifest. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { proposal } from "../support/candidate.ts";
import { createScoutFixture, type ScoutFixture } from "../support/scout-fixture.ts";

/** As the worker computes it. */
const fingerprintOf = (manifest: string) =>
  `sha256:${createHash("sha256")
    .update(JSON.stringify(["scan", "deps_outdated", manifest, "group"]))
    .digest("hex")}`;
const options = (manifest: string) => `${manifest === "package.json" ? "" : ` --in ${manifest}`} --min-age 7`;
const group = (updates: string, manifest = "package.json") =>
  proposal(1, {
    title: `Update ${manifest}`,
    category: "deps",
    fingerprint: fingerprintOf(manifest),
    gate: { cmd: `triptych gate dep-at-least ${updates}${options(manifest)}` },
  });
const single = (mark: number, update: string, manifest = "package.json") =>
  proposal(mark, { category: "deps", gate: { cmd: `triptych gate dep-at-least ${update}${options(manifest)}` } });

async function listed({ repositories }: ScoutFixture): Promise<readonly string[]> {
  const all = await repositories.candidates.list("rep_1", { state: null }, { below: null, limit: 50 });
  return all
    .map(({ state, proposal: { gate } }) => `${gate.cmd.slice("triptych gate dep-at-least ".length)}: ${state}`)
    .toSorted();
}

/** Rejects the group of a manifest. */
async function rejectGroup(fixture: ScoutFixture, scope?: "this" | "always", manifest = "package.json") {
  const found = await fixture.repositories.candidates.withFingerprint("rep_1", fingerprintOf(manifest));
  assert.ok(found !== null);
  await fixture.rejectFound(found, scope === undefined ? {} : { scope });
}

test("updates the candidate of a group in place while its packages change", async () => {
  await using fixture = await createScoutFixture();
  assert.equal((await fixture.report({ candidates: [group("a 1.1.0 b 2.1.0")] })).proposed, 1);
  assert.equal((await fixture.report({ candidates: [group("b 2.2.0 c 1.4.0")] })).confirmed, 1);
  assert.deepEqual(await listed(fixture), ["b 2.2.0 c 1.4.0 --min-age 7: proposed"]);
});

test("a rejected group covers later versions of its packages, but no other package or major version", async () => {
  await using fixture = await createScoutFixture();
  await fixture.report({ candidates: [group("a 1.1.0 b 2.1.0")] });
  await rejectGroup(fixture);
  assert.equal((await fixture.report({ candidates: [group("b 2.9.0 a 1.2.0")] })).suppressed, 1);
  assert.equal((await fixture.report({ candidates: [group("b 2.9.0")] })).suppressed, 1);
  assert.equal((await fixture.report({ candidates: [group("a 1.2.0", "web/package.json")] })).suppressed, 0);
  assert.equal((await fixture.report({ candidates: [group("b 2.9.0 c 1.0.0")] })).proposed, 1);
});

test("a group can be rejected for these versions, or forever", async () => {
  await using fixture = await createScoutFixture();
  await fixture.report({ candidates: [group("a 1.1.0")] });
  await rejectGroup(fixture, "this");
  assert.equal((await fixture.report({ candidates: [group("a 1.1.0")] })).suppressed, 1);
  assert.equal((await fixture.report({ candidates: [group("a 1.2.0")] })).proposed, 1);
  await rejectGroup(fixture, "always");
  assert.equal((await fixture.report({ candidates: [group("z 9.0.0")] })).suppressed, 1);
});

test("a group replaces single updates of its packages that were proposed before, not major ones", async () => {
  await using fixture = await createScoutFixture();
  const singles = [single(2, "a 1.1.0"), single(3, "b 3.0.0"), single(4, "a 1.1.0", "web/package.json")];
  await fixture.report({ candidates: singles });
  await fixture.report({ candidates: [group("a 1.1.0 b 2.1.0")] });
  assert.deepEqual(await listed(fixture), [
    "a 1.1.0 --in web/package.json --min-age 7: proposed",
    "a 1.1.0 --min-age 7: rejected",
    "a 1.1.0 b 2.1.0 --min-age 7: proposed",
    "b 3.0.0 --min-age 7: proposed",
  ]);
  const { reject } = await fixture.findKnown(2);
  assert.equal(reject?.reason, 'Part of "Update package.json".');
});

test("the last scan decides between a group and single updates of its packages", async () => {
  await using fixture = await createScoutFixture();
  const singles = [single(2, "a 1.1.0"), single(3, "b 2.1.0")];
  await fixture.report({ candidates: [group("a 1.1.0 b 2.1.0")] });
  assert.equal((await fixture.report({ candidates: singles })).proposed, 2);
  const found = await fixture.repositories.candidates.withFingerprint("rep_1", fingerprintOf("package.json"));
  assert.deepEqual([found?.state, found?.reject?.reason], ["rejected", `Replaced by "${singles[0]?.title}".`]);
  // The setting was changed back: neither side is suppressed.
  assert.equal((await fixture.report({ candidates: [group("a 1.1.0 b 2.1.0")] })).proposed, 1);
  assert.equal((await fixture.report({ candidates: singles })).suppressed, 0);
  assert.deepEqual(await listed(fixture), [
    "a 1.1.0 --min-age 7: proposed",
    "a 1.1.0 b 2.1.0 --min-age 7: rejected",
    "b 2.1.0 --min-age 7: proposed",
  ]);
});

test("a group below 1.0.0 leaves breaking updates of its packages as separate candidates", async () => {
  await using fixture = await createScoutFixture();
  await fixture.report({ candidates: [single(2, "a 0.4.0"), group("a 0.3.5 b 1.1.0")] });
  await fixture.report({ candidates: [single(2, "a 0.4.0"), group("a 0.3.5 b 1.1.0")] });
  assert.deepEqual(await listed(fixture), ["a 0.3.5 b 1.1.0 --min-age 7: proposed", "a 0.4.0 --min-age 7: proposed"]);
});

test("a rejected group of pins covers later versions of the same major version only", async () => {
  await using fixture = await createScoutFixture();
  const pins = (updates: string) =>
    proposal(1, {
      category: "deps",
      fingerprint: fingerprintOf("action"),
      gate: { cmd: `triptych gate pinned ${updates} --from ${"a".repeat(40)} --in .github/workflows/ci.yml` },
    });
  const commit = (digit: string) => digit.repeat(40);
  await fixture.report({ candidates: [pins(`a/b ${commit("b")} '#v4.1.0' c/d ${commit("c")} '#v1.0.1'`)] });
  const found = await fixture.repositories.candidates.withFingerprint("rep_1", fingerprintOf("action"));
  assert.ok(found !== null);
  await fixture.rejectFound(found);
  assert.equal((await fixture.report({ candidates: [pins(`a/b ${commit("d")} '#v4.9.0'`)] })).suppressed, 1);
  assert.equal((await fixture.report({ candidates: [pins(`a/b ${commit("e")} '#v5.0.0'`)] })).proposed, 1);
});

test("the same package in two manifests is two candidates", async () => {
  await using fixture = await createScoutFixture();
  await fixture.report({ candidates: [single(2, "a 2.0.0"), single(3, "a 2.0.0", "web/package.json")] });
  await fixture.reject(2);
  assert.equal((await fixture.report({ candidates: [single(5, "a 2.1.0", "web/package.json")] })).suppressed, 0);
  assert.deepEqual(await listed(fixture), [
    "a 2.0.0 --min-age 7: rejected",
    "a 2.1.0 --in web/package.json --min-age 7: proposed",
  ]);
});
