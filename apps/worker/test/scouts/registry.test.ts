import assert from "node:assert/strict";
import { test } from "node:test";
import type { AskRegistry } from "../../src/scouts/scan/registry.ts";
import { foundBy, scoutOn } from "../support/explore-story.ts";
import { makeRepository } from "../support/repository.ts";

const LOCK = {
  lockfileVersion: 3,
  packages: {
    "": {},
    "node_modules/near": { version: "1.0.0" },
    "node_modules/old": { version: "2.0.0" },
    "node_modules/deep": { version: "4.17.15" },
  },
};
const FILES = {
  "package.json": JSON.stringify(
    { name: "app", dependencies: { near: "^1.0.0", old: "~2.0.0", lost: "1.0.0" } },
    null,
    2,
  ),
  "package-lock.json": JSON.stringify(LOCK),
};
const PACKUMENTS: Readonly<Record<string, object>> = {
  near: {
    "dist-tags": { latest: "1.1.0" },
    versions: { "1.0.0": {}, "1.1.0": {} },
    time: { "1.0.0": "2026-01-01T00:00:00Z", "1.1.0": "2026-03-01T00:00:00Z" },
  },
  old: {
    "dist-tags": { latest: "4.0.0" },
    versions: { "2.0.0": {}, "4.0.0": {} },
    time: { "2.0.0": "2024-01-01T00:00:00Z", "4.0.0": "2026-01-01T00:00:00Z" },
  },
  deep: {
    "dist-tags": { latest: "5.0.0" },
    versions: { "4.17.15": {}, "4.17.20": {}, "4.17.21": {}, "4.17.22-rc.1": {}, "5.0.0": {} },
  },
};
const ADVISORIES = {
  deep: [
    {
      url: "https://advisories.test/1",
      title: "Reads too much",
      severity: "high",
      vulnerable_versions: ">=3.0.0 <4.17.21",
    },
  ],
};

const registry: AskRegistry = async (url, { body }) => {
  const name = url.slice("http://registry.test/".length);
  const answer = body === undefined ? PACKUMENTS[name] : ADVISORIES;
  return { status: answer === undefined ? 404 : 200, text: async () => JSON.stringify(answer) };
};

test("finds outdated dependencies and packages with a known vulnerability", async () => {
  await using repository = makeRepository(FILES);
  const request = { checks: ["deps_outdated", "deps_vulnerable"] };
  const { candidates } = foundBy(await scoutOn(repository, { request, outside: { fetch: registry } }));
  assert.deepEqual(
    candidates.map(({ title, category, gate, gate_proof, mendable }) => [
      title,
      category,
      gate.cmd,
      gate_proof.exit_code,
      mendable,
    ]),
    [
      [
        "Update deep to 4.17.21 (Reads too much)",
        "security",
        "triptych gate dep-at-least deep 4.17.21 --everywhere",
        1,
        false,
      ],
      ["Update old to 4.0.0 (from 2.0.0, 2 majors)", "deps", "triptych gate dep-at-least old 4.0.0", 1, true],
    ],
  );
  assert.deepEqual(
    candidates.map(({ evidence: [evidence] }) => [evidence?.path, evidence?.line]),
    [
      ["package-lock.json", 1],
      ["package.json", 5],
    ],
  );
});

test("reports an unreachable or invalid registry without affecting other checks", async () => {
  await using repository = makeRepository({ ...FILES, "README.md": "[gone](gone.md)\n" });
  const messagesOf = async (fetch: AskRegistry) => {
    const scouted = await scoutOn(repository, {
      request: { checks: ["deps_outdated", "deps_vulnerable", "dead_link"] },
      outside: { fetch },
    });
    assert.equal(foundBy(scouted).candidates.length, 1);
    return scouted.items.filter(({ kind }) => kind === "log").map(({ text }) => text);
  };
  const both = (why: string) =>
    ["deps_outdated", "deps_vulnerable"].map((check) => `${check}: the npm registry ${why}`);
  assert.deepEqual(await messagesOf(() => Promise.reject(new Error("refused"))), both("is unreachable"));
  assert.deepEqual(
    await messagesOf(async () => ({ status: 503, text: async () => "" })),
    both("responded with status 503"),
  );
  const nonsense = async () => ({ status: 200, text: async () => "<html>" });
  assert.deepEqual(await messagesOf(nonsense), both("sent an invalid response"));
});
