import assert from "node:assert/strict";
import { test } from "node:test";
import { detectHosts } from "../../src/repo-reachability/detect-hosts.ts";

const NPM = "registry.npmjs.org";

interface Files {
  readonly lock?: string;
  readonly downloads?: readonly string[];
  readonly npmrc?: string;
  readonly setup?: string | null;
}

const detect = ({ lock = "package-lock.json", downloads = [], npmrc = "", setup = "npm ci" }: Files) => {
  const text = (name: string) => (name === ".npmrc" ? npmrc : "");
  return detectHosts({ names: new Set([lock]), text, testedMembers: [], downloads }, setup);
};

test("lists the hosts of downloads, each once and sorted", () => {
  const downloads = [
    '"resolved": "https://b.example/',
    '"resolved": "https://a.example:8443/',
    'url = "https://b.example/',
  ];
  assert.deepEqual(detect({ downloads }), ["a.example:8443", "b.example"]);
});

test("uses npm's own registry if a lock file of Node names no host", () => {
  assert.deepEqual(detect({}), [NPM]);
  assert.deepEqual(detect({ lock: "pnpm-lock.yaml", setup: "npx --yes pnpm@10 install" }), [NPM]);
  assert.deepEqual(detect({ lock: "Cargo.lock", setup: "cargo fetch --locked" }), []);
});

test("adds npm's own registry if npx fetches the package manager", () => {
  const downloads = ['resolved "https://yarn.example/'];
  assert.deepEqual(detect({ lock: "yarn.lock", downloads, setup: "npx --yes yarn@1 install" }), [NPM, "yarn.example"]);
});

test("uses the registry of .npmrc instead of npm's own", () => {
  assert.deepEqual(detect({ npmrc: "registry=https://npm.acme.example/npm/\n" }), ["npm.acme.example"]);
});

test("names no host if nothing is installed", () => {
  assert.deepEqual(detect({ setup: null }), []);
});

test("omits addresses, local names and invalid host names", () => {
  const bad = [
    "127.0.0.1",
    "10.0.0.8:80",
    "[::1]",
    "localhost",
    "registry.internal",
    "a b",
    "*.example",
    "x",
    "-a.example",
  ];
  const long = `${"a".repeat(63)}.${"b".repeat(40)}.example`;
  const downloads = [...bad, long, "good.example"].map((host) => `"resolved": "https://${host}/`);
  assert.deepEqual(detect({ downloads }), ["good.example"]);
});

test("names at most ten hosts", () => {
  const downloads = Array.from({ length: 30 }, (_, n) => `"resolved": "https://h${n}.example/`);
  assert.equal(detect({ downloads }).length, 10);
});
