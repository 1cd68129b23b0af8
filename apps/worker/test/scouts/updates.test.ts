/** Dependency updates that the scan proposes, by registry and repository. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { depsOutdated } from "../../src/scouts/scan/deps-outdated.ts";
import type { Packument, Registry } from "../../src/scouts/scan/registry.ts";
import { runCheck, type Files } from "../support/inspect.ts";

type Version = Packument["versions"][string];
type PublishedVersions = Readonly<Record<string, Readonly<Record<string, Version>>>>;

const manifest = (dependencies: Readonly<Record<string, string>>, more: object = {}): Files => ({
  "package.json": JSON.stringify({ name: "app", devDependencies: dependencies, ...more }),
});

/** The last version of each package is its latest. */
async function updatesOf(files: Files, published: PublishedVersions): Promise<readonly string[]> {
  const registry: Registry = {
    find: async (name) => {
      const versions = published[name];
      const latest = Object.keys(versions ?? {}).at(-1);
      return versions === undefined || latest === undefined ? null : { "dist-tags": { latest }, versions };
    },
    advisories: async () => ({}),
  };
  return runCheck(depsOutdated, files, { registry: async () => registry });
}

const needs = (node: string): Version => ({ engines: { node } });
const peers = (peerDependencies: Readonly<Record<string, string>>): Version => ({ peerDependencies });

test("proposes the newest version that runs on every Node of `engines.node`", async () => {
  const published = { tool: { "1.0.0": {}, "2.0.0": needs(">=12"), "3.0.0": needs("^20.1.0 || >=22") } };
  const proposed = async (node: string) => updatesOf(manifest({ tool: "^1.0.0" }, { engines: { node } }), published);
  assert.deepEqual(await proposed(">=0.10"), []);
  assert.deepEqual(await proposed(">=12.0.0"), ["Update tool to 2.0.0 (from 1.0.0, 1 major)"]);
  assert.deepEqual(await proposed(">=20"), ["Update tool to 2.0.0 (from 1.0.0, 1 major)"]);
  assert.deepEqual(await proposed(">=22"), ["Update tool to 3.0.0 (from 1.0.0, 2 majors)"]);
  assert.deepEqual(await updatesOf(manifest({ tool: "^1.0.0" }), published), [
    "Update tool to 3.0.0 (from 1.0.0, 2 majors)",
  ]);
});

test("accepts a version that needs the same Node as the one in use", async () => {
  const same = needs("^18.14.0 || ^20.0.0 || >=22.0.0");
  const published = { jest: { "29.0.0": same, "30.0.0": same, "31.0.0": needs("^20.0.0 || >=22.0.0") } };
  assert.deepEqual(await updatesOf(manifest({ jest: "^29.0.0" }, { engines: { node: ">=18" } }), published), [
    "Update jest to 30.0.0 (from 29.0.0, 1 major)",
  ]);
});

test("assumes for a release without engines those of the next release of its major version", async () => {
  const published = { nyc: { "10.0.0": {}, "12.0.0": {}, "13.0.0": {}, "13.1.0": needs(">=6") } };
  assert.deepEqual(await updatesOf(manifest({ nyc: "^10.0.0" }, { engines: { node: ">=0.6" } }), published), [
    "Update nyc to 12.0.0 (from 10.0.0, 2 majors)",
  ]);
});

test("ignores versions pinned with an equals sign", async () => {
  const published = { glob: { "10.3.7": {}, "14.0.0": {} } };
  assert.deepEqual(await updatesOf(manifest({ glob: "=10.3.7" }), published), []);
});

test("limits the types of Node to the oldest supported Node", async () => {
  const published = { "@types/node": { "18.0.0": {}, "20.3.0": {}, "26.0.0": {} } };
  const proposed = async (node: string) =>
    updatesOf(manifest({ "@types/node": "^18" }, { engines: { node } }), published);
  assert.deepEqual(await proposed(">=18"), []);
  assert.deepEqual(await proposed("20 || >=22"), ["Update @types/node to 20.3.0 (from 18.0.0, 2 majors)"]);
});

test("groups packages that need each other, and packages of one project", async () => {
  const vitest = { "4.0.0": {}, "5.1.0": {} };
  const coverage = { "4.0.0": peers({ vitest: "4.0.0" }), "5.1.0": peers({ vitest: "5.1.0" }) };
  assert.deepEqual(
    await updatesOf(manifest({ "@vitest/coverage-v8": "4.0.0", vitest: "4.0.0" }), {
      vitest,
      "@vitest/coverage-v8": coverage,
    }),
    ["Update vitest and @vitest/coverage-v8 to 5.1.0"],
  );
  const react = { "18.0.0": {}, "19.0.0": {} };
  const dom = { "18.0.0": peers({ react: "^18.0.0" }), "19.0.0": peers({ react: "^19.0.0" }) };
  const typed = { "18.0.0": {}, "19.0.0": {} };
  assert.deepEqual(
    await updatesOf(manifest({ react: "^18.0.0", "react-dom": "^18.0.0", "@types/react": "^18.0.0" }), {
      react,
      "react-dom": dom,
      "@types/react": typed,
    }),
    ["Update react, react-dom and @types/react to 19.0.0"],
  );
  const sameRepository = { repository: { url: "git+https://example.test/jest.git" } };
  const jest = { "29.0.0": sameRepository, "30.5.0": sameRepository };
  const alone = { "1.0.0": {}, "2.0.0": {} };
  assert.deepEqual(
    await updatesOf(manifest({ jest: "29.0.0", "@jest/globals": "29.0.0", alone: "1.0.0" }), {
      jest,
      "@jest/globals": jest,
      alone,
    }),
    ["Update jest and @jest/globals to 30.5.0", "Update alone to 2.0.0 (from 1.0.0, 1 major)"],
  );
});

test("names a group after the package, not after its types", async () => {
  const published = {
    sinon: { "9.0.0": {}, "10.0.0": {} },
    "@types/sinon": { "9.0.0": {}, "10.0.0": {}, "10.1.0": {} },
  };
  assert.deepEqual(await updatesOf(manifest({ "@types/sinon": "^9.0.0", sinon: "^9.0.0" }), published), [
    "Update sinon to 10.0.0 with 1 related package",
  ]);
});

test("limits a peer to the newest version that its plugin supports", async () => {
  const typescript = { "5.8.0": {}, "6.0.0": {}, "7.0.0": {} };
  const lint = { "8.0.0": peers({ typescript: ">=4 <6" }), "8.9.0": peers({ typescript: ">=4 <6.1.0" }) };
  const proposed = await updatesOf(manifest({ typescript: "5.8.0", "ts-lint": "^8.0.0" }), {
    typescript,
    "ts-lint": lint,
  });
  assert.deepEqual(proposed, ["Update typescript to 6.0.0 with 1 related package"]);
  const stuck = { "8.0.0": peers({ typescript: "<6" }) };
  assert.deepEqual(
    await updatesOf(manifest({ typescript: "5.8.0", "ts-lint": "^8.0.0" }), { typescript, "ts-lint": stuck }),
    [],
  );
});

test("puts runtime dependencies first, and skips deprecated versions and prereleases", async () => {
  const published = {
    lib: { "1.0.0": {}, "2.0.0": {}, "2.1.0": { deprecated: "broken" }, "3.0.0-rc.1": {}, "3.0.0": { deprecated: "" } },
    linter: { "1.0.0": {}, "9.0.0": {} },
  };
  assert.deepEqual(await updatesOf(manifest({ linter: "^1.0.0" }, { dependencies: { lib: "^1.0.0" } }), published), [
    "Update lib to 3.0.0 (from 1.0.0, 2 majors)",
    "Update linter to 9.0.0 (from 1.0.0, 8 majors)",
  ]);
});

test("respects the ignore rules of Renovate and Dependabot", async () => {
  const published = { a: { "1.0.0": {}, "2.0.0": {} }, "@x/b": { "1.0.0": {}, "2.0.0": {} } };
  const files = manifest({ a: "^1.0.0", "@x/b": "^1.0.0" });
  const proposed = async (path: string, text: string) => updatesOf({ ...files, [path]: text }, published);
  const onlyB = ["Update @x/b to 2.0.0 (from 1.0.0, 1 major)"];
  assert.deepEqual(await proposed("renovate.json", '{"ignoreDeps":["a"]}'), onlyB);
  assert.deepEqual(
    await proposed(".github/renovate.json", '{"packageRules":[{"matchPackageNames":["a"],"enabled":false}]}'),
    onlyB,
  );
  assert.deepEqual(
    await proposed("renovate.json", '{"packageRules":[{"matchUpdateTypes":["major"],"enabled":false}]}'),
    [],
  );
  const ignore = (item: string) =>
    `version: 2\nupdates:\n  - package-ecosystem: npm\n    ignore:\n      - dependency-name: ${item}\n    groups: {}\n`;
  assert.deepEqual(await proposed(".github/dependabot.yml", ignore('"@x/*"')), [
    "Update a to 2.0.0 (from 1.0.0, 1 major)",
  ]);
  assert.deepEqual(
    await proposed(".github/dependabot.yml", ignore('a\n        update-types: ["version-update:semver-major"]')),
    onlyB,
  );
  assert.equal((await proposed(".github/dependabot.yml", ignore('a\n        versions: ["1.5.x"]'))).length, 2);
  assert.equal((await proposed("renovate.json", "{broken")).length, 2);
});

const LOCKS: Files = {
  "package-lock.json":
    '{"packages":{"node_modules/a":{"version":"1.9.0"},"node_modules/x/node_modules/a":{"version":"0.1.0"}}}',
  "pnpm-lock.yaml":
    "lockfileVersion: '9.0'\n\nimporters:\n\n  .:\n    devDependencies:\n      a:\n        specifier: ^1.0.0\n        version: 1.9.0(x@1.0.0)\n\npackages:\n\n  a@0.1.0:\n    resolution: {integrity: sha512-x}\n\n  a@1.9.0:\n    resolution: {integrity: sha512-x}\n\nsnapshots:\n",
  "yarn.lock":
    '# yarn lockfile v1\n\n\na@^0.1.0:\n  version "0.1.0"\n\na@^1.0.0, a@^1.2.0:\n  version "1.9.0"\n  resolved "x"\n',
  "bun.lock":
    '{\n  "packages": {\n    "a": ["a@1.9.0", "", {}, "sha512-x"],\n    "x/a": ["a@0.1.0", "", {}, "sha512-x"],\n  }\n}\n',
};

test("reads the version in use from the lock file of each package manager", async () => {
  const published = { a: { "0.1.0": {}, "1.0.0": {}, "1.9.0": {}, "2.0.0": {} } };
  for (const [path, text] of Object.entries(LOCKS))
    assert.deepEqual(
      await updatesOf({ ...manifest({ a: "^1.0.0" }), [path]: text }, published),
      ["Update a to 2.0.0 (from 1.9.0, 1 major)"],
      path,
    );
  const berry = '__metadata:\n  version: 8\n\n"a@npm:^1.0.0":\n  version: 1.9.0\n  resolution: "a@npm:1.9.0"\n';
  assert.deepEqual(await updatesOf({ ...manifest({ a: "^1.0.0" }), "yarn.lock": berry }, published), [
    "Update a to 2.0.0 (from 1.9.0, 1 major)",
  ]);
});
