/** Vulnerable packages of every manifest and lock file of a repository, with a loopback registry. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { depsVulnerable } from "../../src/scouts/scan/deps-vulnerable.ts";
import { gatesOf, project, scanned, titlesOf } from "../support/scan-dependencies.ts";

test("exempts a version that fixes an advisory from the minimum age", async () => {
  const packages = { a: { versions: { "1.0.0": {}, "1.0.1": {} }, age: { "1.0.0": 900, "1.0.1": 1 } } };
  const advisory = { url: "https://advisories.test/1", title: "Leak", severity: "high", vulnerable_versions: "<1.0.1" };
  const files = project({ a: "^1.0.0" }, { a: "1.0.0" });
  const found = await scanned(files, packages, { check: depsVulnerable, advisories: { a: [advisory] } });
  assert.deepEqual(gatesOf(found), ["dep-at-least a 1.0.1 --everywhere"]);
});

test("finds vulnerable versions in workspaces and in projects with their own lock file", async () => {
  const advisoryOf = (name: string, vulnerable_versions: string) => ({
    url: `https://advisories.test/${name}`,
    title: "Leak",
    severity: "high",
    vulnerable_versions,
  });
  const versions = { "1.0.0": {}, "1.0.1": {} };
  const packages = Object.fromEntries(["a", "b", "c"].map((name) => [name, { versions }]));
  const manifest = (dependencies: object, more: object = {}) => JSON.stringify({ ...more, dependencies }, null, 1);
  const lock = (locked: object) =>
    JSON.stringify({
      lockfileVersion: 3,
      packages: Object.fromEntries(
        Object.entries(locked).map(([name, version]) => [`node_modules/${name}`, { version }]),
      ),
    });
  const found = await scanned(
    {
      "package.json": manifest({ a: "^1.0.0" }, { workspaces: ["packages/*"] }),
      "packages/one/package.json": manifest({ a: "^1.0.0", b: "^1.0.0" }, { name: "c" }),
      "package-lock.json": lock({ a: "1.0.0", b: "1.0.0", c: "1.0.0" }),
      "docs/package.json": manifest({ a: "^1.0.0", b: "^1.0.0" }),
      "docs/package-lock.json": lock({ a: "1.0.1", b: "1.0.0" }),
    },
    packages,
    {
      check: depsVulnerable,
      // `c` is a package of the repository: that of the registry is another one.
      advisories: Object.fromEntries(["a", "b", "c"].map((name) => [name, [advisoryOf(name, "<1.0.1")]])),
    },
  );
  assert.deepEqual(gatesOf(found).toSorted(), [
    "dep-at-least a 1.0.1 --everywhere --in package.json --in packages/one/package.json",
    "dep-at-least b 1.0.1 --everywhere --in docs/package.json",
    "dep-at-least b 1.0.1 --everywhere --in packages/one/package.json",
  ]);
  assert.deepEqual(titlesOf(found).toSorted(), [
    "Update a to 1.0.1 (Leak)",
    "Update b to 1.0.1 in docs (Leak)",
    "Update b to 1.0.1 in packages/one (Leak)",
  ]);
  assert.equal(new Set(found.findings.map(({ fingerprint }) => fingerprint)).size, 3);
});
