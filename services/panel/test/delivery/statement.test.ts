/** `GET /api/runs/{id}/statement` and the keys that verify it. */
import assert from "node:assert/strict";
import { createHash, createPublicKey, verify } from "node:crypto";
import { test } from "node:test";
import type { RunStatement } from "@triptych/contracts";
import { createDeliveryFixture } from "../support/delivery-fixture.ts";

type Fixture = Awaited<ReturnType<typeof createDeliveryFixture>>;

const DAY_MS = 86_400_000;
const CHANGE = { "sum.js": "export const sum = (a, b) => a + b;\n" };

const read = ({ ask, token }: Fixture, id: string) => ask("GET", `/api/runs/${id}/statement`, { token });

async function keysOf({ ask }: Fixture): Promise<readonly { readonly kid: string; readonly x: string }[]> {
  const answer = await ask("GET", "/.well-known/jwks.json");
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json().keys;
}

/** Encodes by hand, following the DSSE specification. */
function openEnvelope(text: string, keys: Awaited<ReturnType<typeof keysOf>>): RunStatement {
  const { payload, payloadType, signatures } = JSON.parse(text);
  assert.equal(payloadType, "application/vnd.in-toto+json");
  assert.equal(signatures.length, 1);
  const bytes = Buffer.from(payload, "base64");
  const key = keys.find(({ kid }) => kid === signatures[0].keyid);
  assert.ok(key, "the key is published");
  const publicKey = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: key.x }, format: "jwk" });
  const signed = Buffer.concat([Buffer.from(`DSSEv1 28 ${payloadType} ${bytes.length} `), bytes]);
  assert.ok(verify(null, signed, publicKey, Buffer.from(signatures[0].sig, "base64")), "the signature matches");
  return JSON.parse(bytes.toString());
}

test("returns 404 before the push, and then always the same envelope", async () => {
  await using fixture = await createDeliveryFixture();
  const { run } = await fixture.handOver(CHANGE);
  assert.equal((await read(fixture, run.id)).statusCode, 404);
  await fixture.deliveryServices.effects.poll();
  const first = await read(fixture, run.id);
  assert.equal(first.statusCode, 200, first.body);
  assert.match(String(first.headers["content-type"]), /^application\/json/);
  assert.equal((await fixture.openPr(run.id)).statusCode, 201);
  fixture.pass(40 * DAY_MS);
  await fixture.panel.statementKeys.rotate({ isImmediate: true });
  assert.equal((await read(fixture, run.id)).body, first.body);
  openEnvelope(first.body, await keysOf(fixture));
  const other = { token: fixture.free.access_token };
  assert.equal((await fixture.ask("GET", `/api/runs/${run.id}/statement`, other)).statusCode, 404);
  assert.equal((await fixture.ask("GET", `/api/runs/${run.id}/statement`)).statusCode, 401);
  assert.equal((await read(fixture, "run_none")).statusCode, 404);
});

test("states commit, patch, checks, agents and usage, and null for what the panel does not know", async () => {
  await using fixture = await createDeliveryFixture();
  const { store, owner, runOf, baseSha } = fixture;
  const { run, runToken } = await fixture.leasedRun({ focus: "Repair the sum." });
  const log = "$ node test.js\nok\n[exit code 0, 7 ms]\n";
  const sha256 = createHash("sha256").update(log).digest("hex");
  const stored = await fetch(`${fixture.url}/api/worker/runs/${run.id}/artifacts/${sha256}`, {
    method: "PUT",
    headers: {
      authorization: `Bearer ${runToken}`,
      "content-digest": `sha-256=:${createHash("sha256").update(log).digest("base64")}:`,
    },
    body: log,
  });
  assert.equal(stored.status, 200, await stored.text());
  const made = await fixture.bundleOf(run.id, CHANGE);
  await fixture.upload(run.id, { runToken, bytes: made.bytes });
  const judged = await fixture.deliveryServices.delivery.judge(owner, await runOf(run.id), { headSha: made.headSha });
  assert.ok(judged.kind === "accepted");
  const end = { exit_code: 0, duration_ms: 7 };
  const verify = {
    baseline: { exit_code: 1, duration_ms: 5, cached: true },
    attempts: [{ n: 1, ...end, verify: end, gate: null }],
    gate: null,
    verdict: "passed" as const,
  };
  const logs = { baseline: { verify: "0".repeat(64), gate: null }, attempts: [{ verify: sha256, gate: null }] };
  const agents = [{ role: "coder" as const, cli: "codex", version: "1.2.3", model: null }];
  await fixture.step(run.id, "passed", { facts: { ...judged.facts, verify, logs, agents } });
  await fixture.deliveryServices.effects.poll();

  const { subject, predicateType, predicate, _type } = openEnvelope(
    (await read(fixture, run.id)).body,
    await keysOf(fixture),
  );
  const patchId = (await runOf(run.id)).facts.diff?.patch_id;
  assert.equal(_type, "https://in-toto.io/Statement/v1");
  assert.equal(predicateType, "http://panel.test/predicates/run/v1");
  assert.deepEqual(subject, [
    { name: `git+${fixture.forge.url}/acme/sum.git@refs/heads/maint/${run.id}`, digest: { gitCommit: made.headSha } },
    { name: `${run.id}.patch`, digest: { gitPatchId: patchId } },
  ]);
  assert.deepEqual(predicate.base, { branch: "main", sha: baseSha });
  assert.deepEqual(predicate.commit, { sha: made.headSha, branch: `maint/${run.id}`, parents: [baseSha] });
  assert.deepEqual(predicate.results, {
    verdict: "passed",
    // The worker named a log that it never uploaded.
    baseline: { verify: { exit_code: 1, duration_ms: 5, log: null }, gate: null, cached: true },
    attempts: [{ verify: { ...end, log: { sha256, bytes: log.length } }, gate: null }],
  });
  assert.deepEqual(predicate.agents, agents);
  assert.deepEqual(predicate.isolation, { level: null, network: null, allow_hosts: [] });
  assert.equal(predicate.focus, "Repair the sum.");
  assert.equal(predicate.policy.verdict, "accepted");
  assert.equal(predicate.usage.cost_micro, null);
  assert.deepEqual(predicate.caps, run.spec.settings.limits);
  assert.equal(predicate.times.started_at, null);
  assert.ok(await store.of(owner).statements.find(run.id));
});

test("publishes the next key 24 h before it signs, and keeps old keys", async () => {
  await using fixture = await createDeliveryFixture();
  const [first] = await keysOf(fixture);
  assert.ok(first);
  assert.equal(await fixture.panel.statementKeys.rotate({ isImmediate: false }), true);
  assert.equal(await fixture.panel.statementKeys.rotate({ isImmediate: false }), false);
  const published = (await keysOf(fixture)).map(({ kid }) => kid);
  assert.equal(published.length, 2);
  const signer = async (change: string) => {
    const { id } = await fixture.pushedRun({ "sum.js": `export const sum = (a, b) => a + b; // ${change}\n` });
    return JSON.parse((await read(fixture, id)).body).signatures[0].keyid;
  };
  assert.equal(await signer("before"), first.kid);
  fixture.pass(DAY_MS + 1);
  assert.equal(
    await signer("after"),
    published.find((kid) => kid !== first.kid),
  );
  assert.deepEqual((await keysOf(fixture)).map(({ kid }) => kid).toSorted(), published.toSorted());
  const answer = await fixture.ask("GET", "/.well-known/jwks.json");
  assert.equal(answer.headers["cache-control"], "public, max-age=3600");
  assert.deepEqual([answer.headers["pragma"], answer.headers["expires"]], [undefined, undefined]);
});
