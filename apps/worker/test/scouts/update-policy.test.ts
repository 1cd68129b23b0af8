/** The setting `deps`: minimum release age, groups, and the manifests of a repository, with a loopback registry. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { depsVulnerable } from "../../src/scouts/scan/deps-vulnerable.ts";
import { inFolder, type Files } from "../support/inspect.ts";
import { startNpmRegistry, type Published } from "../support/npm-registry.ts";
import { NO_TOOLS } from "../support/no-tools.ts";
import { gatesOf, project, scanned, titlesOf, TODAY } from "../support/scan-dependencies.ts";

test("does not propose a version younger than min_release_age_days, but the newest old enough", async () => {
  const a: Published = {
    versions: { "1.0.0": {}, "2.0.0": {}, "3.0.0": {} },
    age: { "1.0.0": 900, "2.0.0": 8, "3.0.0": 6 },
  };
  const files = project({ a: "^1.0.0" }, { a: "1.0.0" });
  const found = await scanned(files, { a });
  assert.deepEqual(gatesOf(found), ["dep-at-least a 2.0.0 --min-age 7"]);
  assert.match(found.findings[0]?.rationale ?? "", /3\.0\.0 is newer, but younger than 7 days\./);
  assert.match(found.findings[0]?.focus ?? "", /Use exactly this version: newer releases may be younger than 7 days/);
  assert.deepEqual(gatesOf(await scanned(files, { a }, { days: 5 })), ["dep-at-least a 3.0.0 --min-age 5"]);
  assert.deepEqual(gatesOf(await scanned(files, { a }, { days: 0 })), ["dep-at-least a 3.0.0"]);
  assert.deepEqual(gatesOf(await scanned(files, { a }, { days: 90 })), []);
});

test("proposes nothing from a registry without release dates, and says why", async () => {
  const a: Published = { versions: { "1.0.0": {}, "2.0.0": {} } };
  const files = project({ a: "^1.0.0" }, { a: "1.0.0" });
  const found = await scanned(files, { a });
  assert.deepEqual(gatesOf(found), []);
  assert.deepEqual(found.missed, ["the npm registry gives no release dates of a, and deps.min_release_age_days is 7"]);
  assert.deepEqual(gatesOf(await scanned(files, { a }, { days: 0 })), ["dep-at-least a 2.0.0"]);
});

/** `a` and `@s/b` are compatible updates, `c` a major one with a compatible one below it, `d` is below 1.0.0. */
const SEVERAL = {
  a: { versions: { "1.0.0": {}, "1.4.0": {} }, age: { "1.0.0": 900, "1.4.0": 100 } },
  "@s/b": {
    versions: { "2.0.0": {}, "2.0.1": {}, "2.1.0-beta.1": {}, "2.2.0": { deprecated: "broken" } },
    latest: "2.2.0",
    age: { "2.0.0": 120, "2.0.1": 90, "2.1.0-beta.1": 80, "2.2.0": 70 },
  },
  c: {
    versions: { "1.0.0": {}, "1.1.0": {}, "2.0.0": {} },
    age: { "1.0.0": 900, "1.1.0": 800, "2.0.0": 400 },
  },
  d: { versions: { "0.1.0": {}, "0.2.0": {} }, age: { "0.1.0": 900, "0.2.0": 300 } },
} satisfies Readonly<Record<string, Published>>;
const FILES = project(
  { a: "^1.0.0", "@s/b": "2.0.0", c: "~1.0.0", d: "^0.1.0" },
  { a: "1.0.0", "@s/b": "2.0.0", c: "1.0.0", d: "0.1.0" },
);

test("groups all compatible updates of a manifest, and proposes breaking ones separately", async () => {
  const found = await scanned(FILES, SEVERAL);
  assert.deepEqual(titlesOf(found), [
    "Update a, c and @s/b",
    "Update c to 2.0.0 (from 1.0.0, 1 major)",
    "Update d to 0.2.0 (from 0.1.0)",
  ]);
  assert.deepEqual(gatesOf(found), [
    "dep-at-least a 1.4.0 c 1.1.0 @s/b 2.0.1 --min-age 7",
    "dep-at-least c 2.0.0 --min-age 7",
    "dep-at-least d 0.2.0 --min-age 7",
  ]);
  assert.equal(found.findings[0]?.risk, "low");
  assert.match(found.findings[0]?.rationale ?? "", /2\.0\.0 may be a breaking change and is not part of this update\./);
});

test("groups all updates of a manifest or none, depending on the setting", async () => {
  assert.deepEqual(gatesOf(await scanned(FILES, SEVERAL, { group: "all" })), [
    "dep-at-least c 2.0.0 a 1.4.0 d 0.2.0 @s/b 2.0.1 --min-age 7",
  ]);
  // Alone, only those behind by a major version or half a year.
  assert.deepEqual(gatesOf(await scanned(FILES, SEVERAL, { group: "none" })), [
    "dep-at-least c 2.0.0 --min-age 7",
    "dep-at-least a 1.4.0 --min-age 7",
    "dep-at-least d 0.2.0 --min-age 7",
  ]);
});

test("keeps the fingerprint of a group while its packages change", async () => {
  const fingerprintOf = async (files: Files) =>
    (await scanned(files, SEVERAL)).findings.find(({ gate }) => gate.command.includes(" a "))?.fingerprint;
  const one = await fingerprintOf(project({ a: "^1.0.0" }, { a: "1.0.0" }));
  assert.ok(one !== undefined);
  assert.equal(await fingerprintOf(FILES), one);
});

test("limits a group to the packages that a gate can name, the most important ones first", async () => {
  const names = Array.from({ length: 90 }, (_, index) => `a-package-with-a-long-name-${index}`);
  const one: Published = { versions: { "1.0.0": {}, "1.1.0": {} }, age: { "1.0.0": 900, "1.1.0": 100 } };
  const found = await scanned(
    project(
      Object.fromEntries(names.map((name) => [name, "^1.0.0"])),
      Object.fromEntries(names.map((name) => [name, "1.0.0"])),
    ),
    Object.fromEntries(names.map((name) => [name, one])),
  );
  assert.equal(found.findings.length, 1);
  const [{ gate, title }] = found.findings;
  assert.ok(gate.command.length < 2_000 && gate.command.length > 1_800, gate.command);
  const count = (gate.command.match(/ 1\.1\.0/g) ?? []).length;
  assert.equal(title, `Update ${count} dependencies to compatible versions`);
});

test("proposes no compatible update that users get without a lock file", async () => {
  const { "package.json": manifest } = project({ a: "^1.0.0", c: "~1.0.0" }, {});
  assert.deepEqual(gatesOf(await scanned({ "package.json": manifest }, SEVERAL)), ["dep-at-least c 2.0.0 --min-age 7"]);
});

test("reads each manifest of a workspace with its locked versions, and merges equal breaking updates", async () => {
  const member = (name: string, dependencies: Readonly<Record<string, string>>) =>
    JSON.stringify({ name, dependencies }, null, 2);
  const files: Files = {
    "package.json": JSON.stringify({ name: "root", private: true, workspaces: ["packages/*", "!packages/old"] }),
    "packages/one/package.json": member("@acme/one", { a: "^1.0.0", c: "^1.0.0" }),
    "packages/two/package.json": member("@acme/two", { "@acme/one": "^1.0.0", a: "^1.0.0", c: "^1.0.0" }),
    "packages/old/package.json": member("@acme/old", { c: "^1.0.0" }),
    "examples/demo/package.json": member("demo", { c: "^1.0.0" }),
    "site/package.json": member("site", { c: "^1.0.0" }),
    "site/yarn.lock": '# yarn lockfile v1\n\n\nc@^1.0.0:\n  version "1.1.0"\n',
    "package-lock.json": JSON.stringify({
      lockfileVersion: 3,
      packages: {
        "node_modules/@acme/one": { link: true },
        "node_modules/a": { version: "1.0.0" },
        "packages/two/node_modules/a": { version: "1.4.0" },
        "node_modules/c": { version: "1.1.0" },
      },
    }),
  };
  const found = await scanned(files, { ...SEVERAL, "@acme/one": { versions: { "9.0.0": {} }, age: { "9.0.0": 99 } } });
  assert.deepEqual(gatesOf(found), [
    "dep-at-least a 1.4.0 --in packages/one/package.json --min-age 7",
    "dep-at-least c 2.0.0 --in packages/one/package.json --in packages/two/package.json --min-age 7",
    // Another lock file is another change.
    "dep-at-least c 2.0.0 --in site/package.json --min-age 7",
  ]);
  assert.deepEqual(titlesOf(found), [
    "Update a to 1.4.0 in packages/one",
    "Update c to 2.0.0 in 2 packages",
    "Update c to 2.0.0 in site",
  ]);
});

test("reads the packages of a pnpm workspace, whose lock file lists each of them", async () => {
  const importer = (path: string, version: string) =>
    `  ${path}:\n    dependencies:\n      a:\n        specifier: ^1.0.0\n        version: ${version}\n\n`;
  const files: Files = {
    "package.json": JSON.stringify({ name: "root", dependencies: { a: "^1.0.0" } }),
    "pnpm-workspace.yaml": "packages:\n  # all of them\n  - 'packages/*' # yes\n\ncatalog:\n  c: ^1.0.0\n",
    "packages/one/package.json": JSON.stringify({ name: "one", dependencies: { a: "^1.0.0" } }),
    "pnpm-lock.yaml": `lockfileVersion: '9.0'\n\nimporters:\n\n${importer(".", "1.4.0")}${importer("packages/one", "1.0.0")}packages:\n\n  a@1.0.0:\n    resolution: {}\n\n  a@1.4.0:\n    resolution: {}\n`,
  };
  assert.deepEqual(gatesOf(await scanned(files, SEVERAL)), [
    "dep-at-least a 1.4.0 --in packages/one/package.json --min-age 7",
  ]);
});

test("does not ask for scopes that the repository installs from another registry, and says so", async () => {
  const packages = { ...SEVERAL, "@acme/x": { versions: { "99.0.0": {} }, age: { "99.0.0": 90 } } };
  await using registry = await startNpmRegistry(packages, TODAY);
  const configs: readonly Files[] = [
    { ".npmrc": "save-exact=true\n@acme:registry=https://npm.example.test\n" },
    {
      ".yarnrc.yml":
        "nodeLinker: node-modules\n\nnpmScopes:\n  acme:\n    npmRegistryServer: https://npm.example.test\n",
    },
  ];
  for (const config of configs) {
    const files = project(
      { "@acme/x": "^1.0.0", "@s/b": "2.0.0", c: "~1.0.0" },
      { "@acme/x": "1.0.0", "@s/b": "2.0.0", c: "1.0.0" },
    );
    const found = await scanned({ ...files, ...config }, packages, {}, registry.address);
    assert.deepEqual(gatesOf(found), ["dep-at-least c 2.0.0 --min-age 7"]);
    assert.equal(found.missed[0], "packages of @acme were skipped: the repository has another registry for them");
  }
  assert.deepEqual([...new Set(registry.requests)].toSorted(), ["@s/b", "c"]);
  const files = project({}, { "@acme/x": "1.0.0", "@s/b": "2.0.0" });
  const queried: string[] = [];
  await inFolder({ ...files, ".npmrc": "@acme:registry=https://npm.example.test\n" }, (tree) =>
    depsVulnerable.run({
      ...NO_TOOLS,
      tree,
      verifyCommand: null,
      verifyTimeoutS: 60,
      verifyTwice: async () => [],
      blame: async () => new Map(),
      today: TODAY,
      registry: async () => ({
        find: async () => null,
        advisories: async (versions) => {
          queried.push(...Object.keys(versions));
          return {};
        },
      }),
      fetch: null,
      deps: { minReleaseAgeDays: 7, group: "minor" },
    }),
  );
  assert.deepEqual(queried, ["@s/b"]);
});

test("ignores bad versions in manifests and registries, and reports an invalid manifest", async () => {
  const found = await scanned(
    {
      "package.json": JSON.stringify({
        name: "app",
        workspaces: { packages: ["packages/*", 7, "["] },
        dependencies: {
          a: "^1.0.0",
          b: "latest",
          c: "git+ssh://git@example.test/c.git",
          d: "npm:a@^0.1.0",
          e: 5,
          f: "^not.a.version",
        },
      }),
      "packages/broken/package.json": "{",
    },
    {
      ...SEVERAL,
      a: {
        versions: { "1.0.0": {}, "9": {}, "v2.0.0-": {}, "3.0.0": {} },
        latest: "3.0.0",
        age: { "1.0.0": 900, "9": 10, "3.0.0": 100 },
      },
      f: { versions: { "1.0.0": {} }, latest: "not a version" },
    },
  );
  assert.deepEqual(gatesOf(found), ["dep-at-least a 3.0.0 --min-age 7"]);
  assert.deepEqual(found.missed, ["packages/broken/package.json is not a JSON object"]);
});
