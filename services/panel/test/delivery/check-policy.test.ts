import assert from "node:assert/strict";
import { test } from "node:test";
import { createHash } from "node:crypto";
import { git, createDeliveryFixture } from "../support/delivery-fixture.ts";

function codeOf(problem: unknown): unknown {
  return typeof problem === "object" && problem !== null && "code" in problem ? problem.code : null;
}

type Fixture = Awaited<ReturnType<typeof createDeliveryFixture>>;

async function judged(fixture: Fixture, files: Readonly<Record<string, string>>) {
  const { run, runToken } = await fixture.leasedRun();
  const made = await fixture.bundleOf(run.id, files);
  const uploaded = await fixture.upload(run.id, { runToken, bytes: made.bytes });
  assert.equal(uploaded.status, 200, await uploaded.text());
  return fixture.deliveryServices.delivery.judge(fixture.owner, await fixture.runOf(run.id), { headSha: made.headSha });
}

const refusals: readonly (readonly [string, Record<string, string>, string])[] = [
  ["a protected path", { ".github/workflows/ci.yml": "on: push\n" }, "protected_path"],
  ["a token", { "sum.js": "const key = 'ghp_0123456789abcdefghij0123456789abcdef';\n" }, "secret_in_diff"],
  ["the credential of the repo", { "sum.js": "const key = 'forge-token-of-the-test';\n" }, "secret_in_diff"],
  ["more files than are allowed", { a: "a\n", b: "b\n", c: "c\n", d: "d\n" }, "diff_too_large"],
];
test("check of an uploaded bundle", async (t) => {
  await using fixture = await createDeliveryFixture();

  for (const [what, files, code] of refusals)
    await t.test(`rejects a change with ${what} as ${code}`, async () => {
      const judgement = await judged(fixture, files);
      assert.equal(judgement.kind === "refused" && judgement.code, code, JSON.stringify(judgement));
    });

  await t.test("rejects a secret with its kind and location, without its value", async () => {
    const password = "t0p-5ecret-Value";
    const url = ["https://deploy:", password, "@git.company.dev/x.git"].join("");
    const judgement = await judged(fixture, { "src/a b.js": `// one\nconst url = "${url}";\n` });
    assert.ok(judgement.kind === "refused");
    assert.equal(judgement.message, 'The change adds secrets: "src/a b.js":2 holds basicauth.');
  });

  await t.test("finds a secret that one commit adds and the next removes", async () => {
    const { run, runToken } = await fixture.leasedRun();
    await fixture.bundleOf(run.id, { "sum.js": "const key = 'ghp_0123456789abcdefghij0123456789abcdef';\n" });
    const made = await fixture.bundleOf(run.id, { "sum.js": "export const sum = (a, b) => a + b;\n" }, "HEAD");
    await fixture.upload(run.id, { runToken, bytes: made.bytes });
    const judgement = await fixture.deliveryServices.delivery.judge(fixture.owner, await fixture.runOf(run.id), {
      headSha: made.headSha,
    });
    assert.equal(judgement.kind === "refused" && judgement.code, "secret_in_diff");
  });

  await t.test("refuses commits that change no file", async () => {
    const { run, runToken } = await fixture.leasedRun();
    const { headSha } = await fixture.bundleOf(run.id, { "sum.js": "export const sum = (a, b) => a + b;\n" });
    await git(fixture.local, "checkout", "--quiet", "--detach", headSha);
    await git(fixture.local, "revert", "--no-edit", headSha);
    const head = (await git(fixture.local, "rev-parse", "HEAD")).trim();
    await git(fixture.local, "branch", "--force", `maint/${run.id}`, head);
    const made = await fixture.pack(run.id, [`refs/heads/maint/${run.id}`, "^main"]);
    assert.equal((await fixture.upload(run.id, { runToken, bytes: made.bytes })).status, 200);
    const judgement = await fixture.deliveryServices.delivery.judge(fixture.owner, await fixture.runOf(run.id), {
      headSha: head,
    });
    assert.equal(judgement.kind === "refused" && judgement.code, "bundle_invalid", JSON.stringify(judgement));
  });

  await t.test("warns of a changed test, and measures the change", async () => {
    const judgement = await judged(fixture, {
      "sum.js": "export const sum = (a, b) => a + b;\n",
      "test/new.test.js": "x\n",
    });
    assert.ok(judgement.kind === "accepted", JSON.stringify(judgement));
    const { diff, warnings } = judgement.facts;
    assert.deepEqual([diff?.files, diff?.insertions, diff?.deletions, warnings], [2, 2, 1, ["no_worker_connected"]]);
    assert.match(diff?.patch_id ?? "", /^[0-9a-f]{40}$/);
  });

  await t.test("fails the run on an invalid bundle, one with two branches, or one on another base", async () => {
    const made = async (id: string, range: (branch: string) => readonly string[]) => {
      await fixture.bundleOf(id, { "sum.js": "export const sum = (a, b) => a + b;\n" });
      return (await fixture.pack(id, range(`refs/heads/maint/${id}`))).bytes;
    };
    const second = (branch: string) => [branch, "refs/heads/other", "^main"];
    const shapes: readonly ((id: string) => Promise<Buffer>)[] = [
      async () => Buffer.from("no bundle at all"),
      async (id) => {
        await fixture.bundleOf(id, { "sum.js": "export const sum = (a, b) => a + b;\n" });
        await git(fixture.local, "branch", "--force", "other", "HEAD");
        return made(id, second);
      },
      async (id) => made(id, (branch) => [branch]),
    ];
    for (const shape of shapes) {
      const { run, runToken } = await fixture.leasedRun();
      const answer = await fixture.upload(run.id, { runToken, bytes: await shape(run.id) });
      assert.deepEqual([answer.status, codeOf(await answer.json())], [400, "validation_failed"]);
      const ended = await fixture.runOf(run.id);
      assert.deepEqual([ended.state, ended.result?.code], ["failed", "bundle_invalid"]);
    }
  });

  await t.test("redacts secrets of the account in an artifact, and keeps its name", async () => {
    const { run, runToken } = await fixture.leasedRun();
    const other = { url: "https://git.example/other.git", credential: { kind: "token", token: "other-repos-word" } };
    await fixture.ask("POST", "/api/repos", { token: fixture.token, body: other });
    fixture.pass(1_000);
    const text = `pushed with other-repos-word and ${fixture.pro.license_key}\n`;
    const name = createHash("sha256").update(text).digest("hex");
    const url = `${fixture.url}/api/worker/runs/${run.id}/artifacts/${name}`;
    const headers = { authorization: `Bearer ${runToken}` };
    for (let twice = 0; twice < 2; twice++)
      assert.equal((await fetch(url, { method: "PUT", headers, body: text })).status, 200);
    const read = await fixture.ask("GET", `/api/runs/${run.id}/artifacts/${name}`, { token: fixture.token });
    assert.match(read.body, /^pushed with \[redacted:repo_credential\w*\] and \[redacted:license_key\]\n$/);
    const digest = createHash("sha256").update(read.body).digest("base64");
    assert.equal(read.headers["content-digest"], `sha-256=:${digest}:`);
    assert.equal(await fixture.blobs.read(name), null);
  });

  await t.test("stores an artifact under its hash, and serves it to the account as a file", async () => {
    const { run, runToken } = await fixture.leasedRun();
    const text = "the output of a check\n";
    const putArtifact = (name: string) =>
      fetch(`${fixture.url}/api/worker/runs/${run.id}/artifacts/${name}`, {
        method: "PUT",
        headers: { authorization: `Bearer ${runToken}` },
        body: text,
      });
    assert.equal((await putArtifact("no-hash")).status, 400);
    const name = createHash("sha256").update(text).digest("hex");
    const other = await putArtifact("0".repeat(64));
    const { errors } = (await other.json()) as { readonly errors: readonly { readonly path: string }[] };
    assert.deepEqual([other.status, errors.map(({ path }) => path)], [400, ["/sha256"]]);
    assert.equal((await putArtifact(name)).status, 200);
    const read = await fixture.ask("GET", `/api/runs/${run.id}/artifacts/${name}`, { token: fixture.token });
    assert.deepEqual([read.statusCode, read.body, read.headers["x-content-type-options"]], [200, text, "nosniff"]);
    assert.match(String(read.headers["content-disposition"]), /^attachment/);
    const foreign = await fixture.ask("GET", `/api/runs/${run.id}/artifacts/${name}`, {
      token: fixture.free.access_token,
    });
    assert.equal(foreign.statusCode, 404);
  });

  // Last, because it advances the clock.
  await t.test("fences an upload by epoch and digest, and accepts a token for its own run only", async () => {
    const { run, runToken } = await fixture.leasedRun();
    const { bytes } = await fixture.bundleOf(run.id, { "sum.js": "export const sum = (a, b) => a + b;\n" });
    const outcomeOf = async (answer: Response) => [answer.status, codeOf(await answer.json())];
    const digest = `sha-256=:${Buffer.alloc(32).toString("base64")}:`;
    assert.deepEqual(await outcomeOf(await fixture.upload(run.id, { runToken, bytes, digest })), [
      400,
      "validation_failed",
    ]);
    assert.deepEqual(await outcomeOf(await fixture.upload(run.id, { runToken, bytes, epoch: 2 })), [409, "superseded"]);
    const { run: other } = await fixture.leasedRun();
    assert.deepEqual(await outcomeOf(await fixture.upload(other.id, { runToken, bytes })), [404, "not_found"]);
    assert.deepEqual(await outcomeOf(await fixture.upload(run.id, { runToken: `${runToken}x`, bytes })), [
      401,
      "unauthenticated",
    ]);
    assert.deepEqual(await outcomeOf(await fixture.upload(run.id, { runToken: fixture.token, bytes })), [
      401,
      "unauthenticated",
    ]);
    const asAccount = await fixture.ask("GET", "/api/runs", { token: runToken });
    assert.equal(asAccount.statusCode, 401);
    await fixture.step(run.id, "lapsed");
    assert.deepEqual(await outcomeOf(await fixture.upload(run.id, { runToken, bytes })), [409, "superseded"]);
    fixture.pass(3_600_001);
    assert.equal((await fixture.upload(run.id, { runToken, bytes })).status, 401);
  });
});

test("serves only the base branch to workers, and rejects pushes", async () => {
  await using fixture = await createDeliveryFixture();
  const { run, runToken } = await fixture.leasedRun({ base_branch: "main" });
  const header = `http.extraHeader=Authorization: Bearer ${runToken}`;
  const relay = `${fixture.url}/api/worker/runs/${run.id}/git`;
  const listed = await git(fixture.local, "-c", header, "ls-remote", relay);
  assert.deepEqual(listed.split("\n"), [`${fixture.baseSha}\trefs/heads/main`]);
  await assert.rejects(git(fixture.local, "-c", header, "push", relay, "main:evil"));
  await fixture.forge[Symbol.asyncDispose]();
  fixture.pass(60_000);
  const answer = await fetch(`${relay}/info/refs?service=git-upload-pack`, {
    headers: { authorization: `Bearer ${runToken}` },
  });
  assert.deepEqual([answer.status, codeOf(await answer.json())], [502, "forge_error"]);
});
