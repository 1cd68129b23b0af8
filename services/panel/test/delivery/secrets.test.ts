/** Credentials must not appear in process arguments, logs, responses or files. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { anyAddress } from "../../src/git/addresses.ts";
import { createRemotes, type RemoteRepo } from "../../src/git/remote.ts";
import { FORGE_TOKEN, git, createDeliveryFixture } from "../support/delivery-fixture.ts";

/** A folder at the front of PATH during the test. */
function openPath(programs: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), "path-"));
  const before = process.env["PATH"] ?? "";
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(folder, name), script.replaceAll("{folder}", folder));
    chmodSync(join(folder, name), 0o755);
  }
  process.env["PATH"] = `${folder}${delimiter}${before}`;
  return {
    folder,
    [Symbol.dispose]() {
      process.env["PATH"] = before;
      rmSync(folder, { recursive: true });
    },
  };
}

/** All encodings of it in headers and URLs. */
const formsOf = (secret: string) => [
  secret,
  encodeURIComponent(secret),
  ...["x-access-token", "oauth2", "git"].map((user) => Buffer.from(`${user}:${secret}`).toString("base64")),
];

const REAL_GIT = execFileSync("which", ["git"]).toString().trim();

test("exposes the forge token in no process argument, log, response or file outside the store", async () => {
  // Logs the arguments of git and of the programs that git starts.
  const script = `#!/bin/sh\nprintf '%s\\n' "$*" >> '{folder}/arguments'\nGIT_TRACE='{folder}/trace' exec '${REAL_GIT}' "$@"\n`;
  using path = openPath({ git: script });
  await using fixture = await createDeliveryFixture();
  const answers: string[] = [];
  const run = await fixture.pushedRun({ "sum.js": "export const sum = (a, b) => a + b;\n" });
  for (const fault of ["error", "rate_limited", "lost_answer"] as const) {
    const happened = fixture.forge.failNext(fault);
    answers.push((await fixture.openPr(run.id)).body);
    await happened;
  }
  const unreached = await fixture.placedRun();
  rmSync(fixture.bare, { recursive: true });
  const refused = await fixture.openPr(unreached.id);
  assert.deepEqual([refused.statusCode, refused.json().code], [502, "forge_error"]);
  answers.push(refused.body);
  for (const address of [`/api/repos/${fixture.repo.id}`, `/api/runs/${run.id}`, "/metrics"])
    answers.push((await fixture.ask("GET", address, { token: fixture.token })).body);
  const recorded =
    readFileSync(join(path.folder, "arguments"), "utf8") + readFileSync(join(path.folder, "trace"), "utf8");
  assert.match(recorded, /remote-http/);
  assert.match(recorded, /push --porcelain/);
  const files = readdirSync(fixture.folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => readFileSync(join(file.parentPath, file.name), "latin1"));
  assert.ok(files.length > 0 && fixture.lines.length > 0 && answers.every((answer) => answer !== ""));
  const seen = { recorded, logs: fixture.lines.join(""), answers: answers.join(""), files: files.join("") };
  for (const [where, text] of Object.entries(seen))
    for (const form of formsOf(FORGE_TOKEN)) assert.ok(!text.includes(form), `${where} holds the token`);
});

const KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\nkey-of-the-test\n-----END OPENSSH PRIVATE KEY-----";

test("reads and pushes over ssh with a key file that exists only during the command", async () => {
  // Fake ssh: logs its arguments and the key's file mode, and runs the command locally.
  const ssh = `#!/bin/sh
for word; do printf '%s\\n' "$word" >> '{folder}/arguments'; done
key=$(printf '%s\\n' "$@" | sed -n 's/^IdentityFile=//p')
printf '%s %s\\n' "$(stat -c %a "$key")" "$key" >> '{folder}/keys'
cmp -s "$key" '{folder}/key' && printf 'same\\n' >> '{folder}/keys'
for last; do :; done
cd '{folder}/forge' && eval "$last"
`;
  using path = openPath({ ssh });
  const { folder } = path;
  writeFileSync(join(folder, "key"), `${KEY}\n`);
  const bare = join(folder, "forge", "acme", "sum.git");
  mkdirSync(bare, { recursive: true });
  await git(folder, "init", "--quiet", "--template=", "--bare", "--initial-branch=main", bare);
  const tree = await git(bare, "write-tree");
  const main = await git(bare, "commit-tree", "-m", "First", tree);
  const second = await git(bare, "commit-tree", "-p", main, "-m", "Second", tree);
  await git(bare, "update-ref", "refs/heads/main", main);
  const remotes = createRemotes({
    resolve: anyAddress,
    knownHosts: join(folder, "known_hosts"),
    passing: join(folder, "passing"),
  });
  const repo: RemoteRepo = {
    owner: "acc_1",
    id: "rep_1",
    url: "git@forge.example.org:acme/sum.git",
    provider: "git",
    credential: { kind: "ssh_key", private_key: KEY },
  };
  await remotes.reach(repo, bare, async (remote) => {
    const { refs, defaultBranch } = await remote.list(["HEAD", "refs/heads/main"]);
    assert.deepEqual([refs.get("refs/heads/main"), defaultBranch], [main, "main"]);
    assert.deepEqual(await remote.create("maint/run_1", second), { kind: "done" });
    assert.deepEqual(await remote.create("maint/run_1", main), { kind: "taken" });
  });
  assert.equal(await git(bare, "rev-parse", "refs/heads/maint/run_1"), second);
  const args = readFileSync(join(folder, "arguments"), "utf8").split("\n");
  for (const arg of [
    "BatchMode=yes",
    "IdentitiesOnly=yes",
    "StrictHostKeyChecking=accept-new",
    "git@forge.example.org",
  ])
    assert.ok(args.includes(arg), arg);
  assert.ok(args.indexOf("-F") < args.indexOf("git@forge.example.org"));
  const [first = "", ...rest] = readFileSync(join(folder, "keys"), "utf8").trim().split("\n");
  const [mode, key = ""] = first.split(" ");
  assert.deepEqual([mode, rest[0], existsSync(key)], ["600", "same", false]);
  assert.ok(!args.join("\n").includes("key-of-the-test"));
});
