import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import type { Proposal } from "@triptych/contracts";
import { environmentOf } from "../../src/process/environment.ts";
import { foundBy, scoutOn, type ScoutOptions } from "../support/explore-story.ts";
import { git, makeRepository, type TestRepository } from "../support/repository.ts";
import {
  APPLICATION,
  APPLICATION_REPAIRED,
  CLEAN,
  LIBRARY,
  LIBRARY_REPAIRED,
} from "../support/scouted-repositories.ts";

const VERIFY = { command: "node test/sum.test.js", setupCommand: null, timeoutS: 60, retries: 0, baseline: true };
const PROVED: ScoutOptions = { request: { verify: VERIFY } };

/** All fields except those that vary between runs. */
const withoutProof = ({ gate_proof, ...candidate }: Proposal) => ({ ...candidate, code: gate_proof.exit_code });
const gatesOf = (candidates: readonly Proposal[]) => candidates.map(({ gate }) => gate.cmd);

/** The exit code of each gate after a repair, by the shell and program of a check. */
function codesAfter(repository: TestRepository, repaired: Readonly<Record<string, string>>, gates: readonly string[]) {
  const tree = join(repository.folder, "repaired");
  git(repository.folder, "clone", "--quiet", repository.bare, tree);
  for (const [path, text] of Object.entries(repaired)) {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), text);
  }
  const env = environmentOf({ PATH: process.env["PATH"] }, { home: tree, temporary: tree });
  return gates.map((cmd) => {
    execFileSync("/bin/sh", ["-c", cmd], { cwd: tree, env, stdio: "ignore" });
    return 0;
  });
}

test("finds each problem of a library red at the base, deterministically, and green after a repair", async () => {
  await using repository = makeRepository(LIBRARY);
  const { candidates } = foundBy(await scoutOn(repository, PROVED));
  assert.deepEqual(gatesOf(candidates), [
    "node test/sum.test.js",
    "triptych gate tested src/table.js",
    "! grep -qF -- 'TODO: it'\\''s slow' src/sum.js",
  ]);
  assert.deepEqual(
    candidates.map(({ gate_proof, mendable }) => [gate_proof.exit_code, mendable]),
    [
      [1, false],
      [1, false],
      [1, false],
    ],
  );
  const [red] = candidates;
  assert.deepEqual(red?.gate.frozen_paths, ["test/sum.test.js"]);
  assert.match(red?.gate_proof.output ?? "", /the sum is wrong/);
  assert.doesNotMatch(JSON.stringify(candidates), new RegExp(repository.folder));

  const again = foundBy(await scoutOn(repository, PROVED));
  assert.deepEqual(again.candidates.map(withoutProof), candidates.map(withoutProof));
  assert.deepEqual(codesAfter(repository, LIBRARY_REPAIRED, gatesOf(candidates)), [0, 0, 0]);
});

test("finds dead links, missing and large files of an application, and which are repairable", async () => {
  await using repository = makeRepository(APPLICATION);
  const scouted = await scoutOn(repository);
  const { candidates } = foundBy(scouted);
  assert.deepEqual(
    candidates.map(({ gate, category, mendable }) => [gate.cmd, category, mendable]),
    [
      ["triptych gate link README.md docs/giude.md", "docs", true],
      ["triptych gate link README.md 'docs/guide.md#how-to-strat'", "docs", true],
      ["triptych gate link README.md docs/history-of-everything.md", "docs", false],
      ["triptych gate has licence", "docs", true],
      ["triptych gate has ci", "test", false],
      ["triptych gate max-size assets/logo.bin 1048576", "cleanup", false],
    ],
  );
  assert.ok(candidates.every(({ gate_proof }) => gate_proof.exit_code === 1));
  const logs = scouted.items.filter(({ kind }) => kind === "log").map(({ text }) => text);
  assert.deepEqual(logs, [
    "verify_red: the repository has no runnable verify command",
    "verify_slow: the repository has no runnable verify command",
    "dead_link: 1 external links of README.md were not checked: the network policy of this repository is not open",
  ]);
  assert.deepEqual(scouted.states, ["preparing", "running", "verifying"]);
  assert.equal(scouted.items.filter(({ kind }) => kind === "candidate").length, 6);
  const codes = codesAfter(repository, APPLICATION_REPAIRED, gatesOf(candidates));
  assert.deepEqual(new Set(codes), new Set([0]));
});

test("finds nothing in a clean repository, and ignores a TODO for a month", async () => {
  await using clean = makeRepository(CLEAN);
  const scouted = await scoutOn(clean, PROVED);
  assert.deepEqual([foundBy(scouted).candidates, scouted.items], [[], []]);
  await using noted = makeRepository({ ...CLEAN, "src/note.js": "// FIXME later\n" });
  const young = foundBy(await scoutOn(noted, { today: Date.now() + 29 * 86_400_000 }));
  const old = foundBy(await scoutOn(noted, { today: Date.now() + 31 * 86_400_000 }));
  assert.deepEqual(
    [gatesOf(young.candidates), gatesOf(old.candidates)],
    [[], ["! grep -qF -- 'FIXME later' src/note.js"]],
  );
});

test("reports which checks ran, which were skipped and why", async () => {
  await using repository = makeRepository(CLEAN);
  const { outcome } = await scoutOn(repository, { request: { checks: ["verify_red", "todo"] } });
  assert.ok(outcome.kind === "found");
  const skipped = "the repository has no runnable verify command";
  assert.deepEqual(outcome.found.checks, [
    { name: "verify_red", skipped },
    { name: "todo", skipped: null },
  ]);
  assert.equal(outcome.found.unproved, 0);
});

test("fails the scout when a command writes in the tree outside its copy", async () => {
  await using repository = makeRepository(CLEAN);
  const command = `echo planted > '${repository.folder}/run/tree/planted'; exit 1`;
  const verify = { command, setupCommand: null, timeoutS: 60, retries: 0, baseline: true };
  const { outcome } = await scoutOn(repository, { request: { verify, checks: ["verify_red"] } });
  assert.ok(outcome.kind === "failed" && outcome.code === "policy_violation", JSON.stringify(outcome));
});

test("respects the requested checks, areas and counts", async () => {
  await using repository = makeRepository(APPLICATION);
  const found = async (request: ScoutOptions["request"]) =>
    gatesOf(foundBy(await scoutOn(repository, { request })).candidates);
  assert.deepEqual(await found({ checks: ["large_file"] }), ["triptych gate max-size assets/logo.bin 1048576"]);
  assert.deepEqual(await found({ areas: ["assets/**"] }), ["triptych gate max-size assets/logo.bin 1048576"]);
  assert.deepEqual(await found({ maxCandidates: 1 }), ["triptych gate link README.md docs/giude.md"]);
});

test("reports an external link as dead after two such responses, with an open network", async () => {
  await using repository = makeRepository(APPLICATION);
  const urls: string[] = [];
  const gone = async (url: string) => {
    urls.push(url);
    return { status: 404, text: async () => "" };
  };
  const request = {
    checks: ["dead_link"],
    isolation: { levelRequired: "worktree", network: "open", allowHosts: [] },
  } as const;
  const scouted = await scoutOn(repository, { request, outside: { fetch: gone } });
  // The gate uses real DNS, where this name does not exist: it reports an error, so nothing is proposed.
  assert.equal(urls.length, 4);
  const messages = scouted.items.map(({ text }) => text).filter((text) => text.includes("elsewhere.test"));
  assert.match(messages.join("\n"), /its gate could not run: https:\/\/elsewhere\.test\/gone cannot be reached/);
});

test("skips a file whose name is not UTF-8, reports it on the bus, and reads the rest", async () => {
  await using repository = makeRepository({ ...CLEAN, "docs/note.md": "x\n", "README.md": "[gone](gone.md)\n" });
  const work = join(repository.folder, "latin");
  git(repository.folder, "clone", "--quiet", repository.bare, work);
  writeFileSync(Buffer.concat([Buffer.from(`${work}/docs/caf`), Buffer.from([0xe9]), Buffer.from(".md")]), "x\n");
  git(work, "add", "--all");
  git(work, "commit", "--quiet", "--message=Latin");
  git(work, "push", "--quiet", "origin", "HEAD:main");
  const sha = git(work, "rev-parse", "HEAD");
  const clone = { repository: "latin", url: repository.url, branch: "main", sha, bearer: null };
  const scouted = await scoutOn(repository, { request: { clone } });
  assert.deepEqual(gatesOf(foundBy(scouted).candidates), ["triptych gate link README.md gone.md"]);
  assert.ok(scouted.items.some(({ text }) => text === "skipped 1 file whose name is not UTF-8"));
});
