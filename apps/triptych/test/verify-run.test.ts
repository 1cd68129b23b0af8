/** `triptych run verify` with a statement and a repository created by the test. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { after, test } from "node:test";
import { CommanderError, type Command } from "commander";
import { runCommands } from "../src/user/runs.ts";

const folder = mkdtempSync(join(tmpdir(), "verify-run-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const repo = join(folder, "repo");
const git = (args: readonly string[], input?: Buffer) =>
  execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.test", ...args], {
    env: { PATH: process.env["PATH"], HOME: folder, GIT_CONFIG_GLOBAL: "/dev/null" },
    ...(input !== undefined && { input }),
  });
const text = (...args: readonly string[]) =>
  git(["-C", repo, ...args])
    .toString()
    .trim();
const commit = (content: string) => {
  writeFileSync(join(repo, "sum.js"), content);
  text("add", "--all");
  text("commit", "--quiet", "--message=Change");
  return text("rev-parse", "HEAD");
};
git(["init", "--quiet", "--initial-branch=main", repo]);
const base = commit("a - b\n");
const head = commit("a + b\n");
const diff = git(["-C", repo, "diff-tree", "-r", "-p", "--no-renames", "--full-index", base, head]);
const [patchId = ""] = git(["patch-id", "--stable"], diff).toString().split(" ");

const TYPE = "application/vnd.in-toto+json";
const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const x = publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("base64url");
const kid = createHash("sha256").update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest("base64url");
const jwks = join(folder, "jwks.json");
writeFileSync(jwks, JSON.stringify({ keys: [{ kid, kty: "OKP", crv: "Ed25519", x, use: "sig" }] }));

interface Stated {
  readonly sha?: string;
  readonly parents?: readonly string[];
  readonly from?: string;
  readonly patch?: string;
}

function statementFile({ sha = head, parents = [base], from = base, patch = patchId }: Stated = {}): string {
  const statement = {
    _type: "https://in-toto.io/Statement/v1",
    subject: [
      { name: "commit", digest: { gitCommit: sha } },
      { name: "patch", digest: { gitPatchId: patch } },
    ],
    predicateType: "https://panel.example/predicates/run/v1",
    predicate: {
      run: { id: "run_1" },
      repo: { url: "https://git.example/sum.git\u001b[31m" },
      base: { branch: "main", sha: from },
      commit: { sha, branch: "maint/run_1", parents },
      results: { verdict: "passed" },
      agents: null,
      times: { pushed_at: "2026-11-26T10:00:00.000Z" },
    },
  };
  const payload = Buffer.from(JSON.stringify(statement));
  const signed = Buffer.concat([Buffer.from(`DSSEv1 ${TYPE.length} ${TYPE} ${payload.length} `), payload]);
  const sig = sign(null, signed, privateKey).toString("base64");
  const file = join(folder, "statement.json");
  const envelope = { payload: payload.toString("base64"), payloadType: TYPE, signatures: [{ keyid: kid, sig }] };
  writeFileSync(file, `${JSON.stringify(envelope)}\n`);
  return file;
}

async function verify(...args: readonly string[]) {
  let [out, err] = ["", ""];
  const context = {
    environment: { XDG_CONFIG_HOME: folder, PATH: process.env["PATH"] ?? "", PANEL_URL: "http://127.0.0.1:9" },
    stdin: [] as unknown as AsyncIterable<unknown>,
    stdout: { write: (part: string) => (out += part), columns: 100 },
    stderr: { write: (part: string) => (err += part) },
  };
  const quiet = (command: Command): Command => {
    command.exitOverride().configureOutput({ writeOut: (part) => (out += part), writeErr: (part) => (err += part) });
    command.commands.forEach(quiet);
    return command;
  };
  try {
    await quiet(runCommands(context)).parseAsync(["verify", ...args], { from: "user" });
    return { code: 0, out, err };
  } catch (error) {
    if (error instanceof CommanderError) return { code: 2, out, err };
    return { code: 1, out, err: error instanceof Error ? error.message : String(error) };
  }
}

test("exits with 0 for a genuine statement whose commit is in the repository", async () => {
  const file = statementFile();
  const good = await verify(file, "--jwks", jwks, "--repo", repo);
  assert.equal(good.code, 0, good.err);
  assert.match(good.out, /^Valid, and the repository has the commit, its parents and its patch\.\n {2}run {9}run_1\n/);
  assert.ok(!good.out.includes("\u001b"));
  const { out } = await verify(file, "--jwks", jwks, "--repo", join(repo, ".git"), "--json");
  assert.deepEqual([JSON.parse(out).valid, JSON.parse(out).repository_checked], [true, true]);
});

test("accepts a relative path of a repository, with and without a working tree", async () => {
  for (const path of [repo, join(repo, ".git")]) {
    const { code, err } = await verify(statementFile(), "--jwks", jwks, "--repo", relative(process.cwd(), path));
    assert.equal(code, 0, err);
  }
});

test("exits with 1 and names the field that differs from the repository", async () => {
  const none = "0".repeat(40);
  const cases: readonly (readonly [Stated, string])[] = [
    [{ sha: none }, "subject[0].digest.gitCommit"],
    [{ sha: "HEAD" }, "subject[0].digest.gitCommit"],
    [{ parents: [none] }, "predicate.commit.parents"],
    [{ from: none }, "predicate.base.sha"],
    [{ patch: none }, "subject[1].digest.gitPatchId"],
  ];
  for (const [stated, field] of cases) {
    const bad = await verify(statementFile(stated), "--jwks", jwks, "--repo", repo, "--json");
    assert.equal(bad.code, 1, field);
    assert.equal(JSON.parse(bad.out).field, field);
    assert.ok(bad.err.startsWith(`Invalid: ${field}: `), bad.err);
    assert.equal((await verify(statementFile(stated), "--jwks", jwks)).code, 0);
  }
});

test("exits with 2 without a statement, a key set or a repository", async () => {
  const file = statementFile();
  assert.equal((await verify(join(folder, "none.json"), "--jwks", jwks)).code, 2);
  assert.equal((await verify(file, "--jwks", file)).code, 2);
  assert.equal((await verify(file)).code, 2);
  assert.equal((await verify(file, "--jwks", jwks, "--repo", folder)).code, 2);
});
