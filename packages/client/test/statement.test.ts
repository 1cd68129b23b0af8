import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { test } from "node:test";
import { verifyStatement } from "../src/index.ts";

const TYPE = "application/vnd.in-toto+json";
const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const x = publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("base64url");
const kid = createHash("sha256").update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest("base64url");
const JWKS = { keys: [{ kid, kty: "OKP", crv: "Ed25519", x }] };

const SHA = "a".repeat(40);
const STATEMENT = {
  _type: "https://in-toto.io/Statement/v1",
  subject: [{ name: "git+https://git.example/a.git@refs/heads/maint/run_1", digest: { gitCommit: SHA } }],
  predicateType: "https://panel.example/predicates/run/v1",
  predicate: { base: { branch: "main", sha: "b".repeat(40) }, commit: { sha: SHA, branch: "m", parents: null } },
};

function envelopeOf(statement: unknown): string {
  const payload = Buffer.from(JSON.stringify(statement));
  const signed = Buffer.concat([Buffer.from(`DSSEv1 ${TYPE.length} ${TYPE} ${payload.length} `), payload]);
  const sig = sign(null, signed, privateKey).toString("base64");
  return JSON.stringify({ payload: payload.toString("base64"), payloadType: TYPE, signatures: [{ keyid: kid, sig }] });
}

async function fieldOf(envelope: string): Promise<string | null> {
  const verdict = await verifyStatement(envelope, JWKS);
  return verdict.isGood ? null : verdict.field;
}

test("accepts a genuine statement, compact and pretty-printed", async () => {
  const envelope = envelopeOf(STATEMENT);
  const verdict = await verifyStatement(envelope, JWKS);
  assert.ok(verdict.isGood);
  assert.deepEqual([verdict.kid, verdict.statement], [kid, STATEMENT]);
  assert.equal(await fieldOf(JSON.stringify(JSON.parse(envelope), null, 2)), null);
});

const isLong = process.env["TEST_LONG"] !== undefined;

test("rejects every flipped byte", async () => {
  const bytes = Buffer.from(envelopeOf(STATEMENT));
  const alternatives = (byte: number, index: number) => {
    const all = [...Array.from({ length: 8 }, (_, bit) => byte ^ (1 << bit)), ...Buffer.from(` "\\,}A/=-_`)];
    return isLong ? all : [all[index % all.length] ?? 0, byte ^ 1];
  };
  for (const [index, byte] of bytes.entries())
    for (const other of alternatives(byte, index)) {
      if (other === byte) continue;
      const flipped = Buffer.from(bytes);
      flipped[index] = other;
      const field = await fieldOf(flipped.toString("utf8"));
      assert.notEqual(field, null, `byte ${index}: ${byte} -> ${other}`);
    }
});

test("names the field of an altered envelope", async () => {
  const envelope = JSON.parse(envelopeOf(STATEMENT));
  const [{ sig }] = envelope.signatures;
  const changed = Buffer.from(JSON.stringify({ ...STATEMENT, predicate: {} })).toString("base64");
  const cases: readonly (readonly [unknown, string])[] = [
    ["no object", "envelope"],
    [{ ...envelope, more: 1 }, "more"],
    [{ ...envelope, payloadType: "application/json" }, "payloadType"],
    [{ ...envelope, payload: `${envelope.payload}\n` }, "payload"],
    [{ ...envelope, payload: changed }, "signatures[0].sig"],
    [{ ...envelope, signatures: [] }, "signatures"],
    [{ ...envelope, signatures: [...envelope.signatures, ...envelope.signatures] }, "signatures"],
    [{ ...envelope, signatures: [{ keyid: "other", sig }] }, "signatures[0].keyid"],
    [{ ...envelope, signatures: [{ keyid: kid, sig: sig.replace("==", "") }] }, "signatures[0].sig"],
    [{ ...envelope, signatures: [{ keyid: kid, sig, cert: "" }] }, "signatures[0].cert"],
  ];
  for (const [altered, field] of cases) assert.equal(await fieldOf(JSON.stringify(altered)), field);
});

test("names the field of a signed payload that is not the statement of a run", async () => {
  const cases: readonly (readonly [unknown, string])[] = [
    [[], "payload"],
    [{ ...STATEMENT, _type: "https://in-toto.io/Statement/v0.1" }, "_type"],
    [{ ...STATEMENT, predicateType: "https://slsa.dev/provenance/v1" }, "predicateType"],
    [{ ...STATEMENT, predicate: null }, "predicate"],
    [{ ...STATEMENT, subject: [{ name: "a", digest: { gitCommit: "c" } }] }, "subject[0].digest.gitCommit"],
  ];
  for (const [statement, field] of cases) assert.equal(await fieldOf(envelopeOf(statement)), field);
});

test("rejects a key whose ID is not its thumbprint", async () => {
  const other = generateKeyPairSync("ed25519").publicKey.export({ format: "der", type: "spki" }).subarray(-32);
  const forged = { keys: [{ ...JWKS.keys[0], kid, kty: "OKP", crv: "Ed25519", x: other.toString("base64url") }] };
  const verdict = await verifyStatement(envelopeOf(STATEMENT), forged);
  assert.ok(!verdict.isGood && verdict.field === "signatures[0].sig");
});
