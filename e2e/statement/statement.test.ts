/**
 * `npm run e2e:statement`: the demo run of a real panel, from its push to its signed statement, verified by the
 * libraries of Sigstore and by `triptych run verify`. Everything runs on loopback.
 */
import assert from "node:assert/strict";
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { createHash, createPublicKey } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { toDSSEBundle } from "@sigstore/bundle";
import { toSignedEntity, toTrustMaterial, Verifier } from "@sigstore/verify";
import { freePort, until } from "../processes.ts";

interface Envelope {
  readonly payload: string;
  readonly payloadType: string;
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[];
}

interface KeySet {
  readonly keys: readonly { readonly kid: string; readonly x: string }[];
}

const START = fileURLToPath(new URL("../../start.mjs", import.meta.url));
const START_TIMEOUT_MS = 120_000;
const folder = mkdtempSync(join(tmpdir(), "e2e-statement-"));
const statementFile = join(folder, "statement.json");
const keysFile = join(folder, "jwks.json");
const environment: Record<string, string> = { PATH: process.env["PATH"] ?? "", HOME: folder, TRIPTYCH_DATA: folder };
let panel: ChildProcess;
let runId = "";

before(async () => {
  const port = String(await freePort());
  environment["PANEL_PORT"] = port;
  environment["PANEL_URL"] = `http://127.0.0.1:${port}`;
  panel = spawn(process.execPath, [START, "start", "panel"], { env: environment, stdio: "ignore" });
  await until("the demo run is pushed", async () => (runId = await pushedRun()) !== "", START_TIMEOUT_MS);
  writeFileSync(statementFile, await (await get(`/api/runs/${runId}/statement`)).text());
  writeFileSync(keysFile, await (await get("/.well-known/jwks.json")).text());
});

after(async () => {
  panel.kill("SIGTERM");
  if (panel.exitCode === null && panel.signalCode === null) await once(panel, "exit");
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function get(path: string): Promise<Response> {
  const { panel: accounts } = JSON.parse(readFileSync(join(folder, "credentials.json"), "utf8"));
  return fetch(`${environment["PANEL_URL"]}${path}`, {
    headers: { authorization: `Bearer ${accounts.pro.access_token}` },
  });
}

/** An empty text until there is one. */
async function pushedRun(): Promise<string> {
  const answer = await get("/api/runs?kind=maintain").catch(() => null);
  if (answer === null || !answer.ok) return "";
  const { items } = (await answer.json()) as {
    readonly items: readonly { readonly id: string; readonly state: string }[];
  };
  return items.find(({ state }) => state === "pushed")?.id ?? "";
}

const readStatement = (): Envelope => JSON.parse(readFileSync(statementFile, "utf8"));
const readKeys = (): KeySet => JSON.parse(readFileSync(keysFile, "utf8"));

/** Verifies without a transparency log: the panel's key set is the trust root. */
function verifyWithSigstore(envelope: Envelope, { keys }: KeySet): void {
  const [signature] = envelope.signatures;
  assert.ok(signature);
  const bundle = toDSSEBundle({
    artifact: Buffer.from(envelope.payload, "base64"),
    artifactType: envelope.payloadType,
    signature: Buffer.from(signature.sig, "base64"),
    keyHint: signature.keyid,
  });
  const root = { mediaType: "", tlogs: [], certificateAuthorities: [], ctlogs: [], timestampAuthorities: [] };
  const trusted = toTrustMaterial(root, (hint) => {
    const key = keys.find(({ kid }) => kid === hint);
    if (key === undefined) throw new Error(`unknown key ${hint}`);
    const jwk = { kty: "OKP", crv: "Ed25519", x: key.x };
    return { publicKey: createPublicKey({ key: jwk, format: "jwk" }), validFor: () => true };
  });
  const thresholds = { tlogThreshold: 0, ctlogThreshold: 0, timestampThreshold: 0 };
  new Verifier(trusted, thresholds).verify(toSignedEntity(bundle));
}

interface Ran {
  readonly code: number;
  readonly out: string;
}

function triptych(...args: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(process.execPath, [START, ...args], { env: environment }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), out: `${stdout}${stderr}` });
    });
  });
}

test("the verifier of Sigstore accepts the statement, and no altered payload", () => {
  const envelope = readStatement();
  const keys = readKeys();
  verifyWithSigstore(envelope, keys);
  const payload = Buffer.from(envelope.payload, "base64");
  for (const index of [0, payload.length >> 1, payload.length - 1]) {
    const altered = Buffer.from(payload);
    altered[index] = (altered[index] ?? 0) ^ 1;
    const forged = { ...envelope, payload: altered.toString("base64") };
    assert.throws(() => verifyWithSigstore(forged, keys), /signature verification failed/);
  }
  assert.throws(() => verifyWithSigstore(envelope, { keys: [] }), /unknown key/);
});

test("triptych run verify finds commit, parents and patch in the repository, offline", async () => {
  const repo = join(folder, "demo", "slugger.git");
  const good = await triptych("run", "verify", statementFile, "--repo", repo, "--jwks", keysFile, "--json");
  assert.equal(good.code, 0, good.out);
  const { valid, repository_checked: isChecked, statement } = JSON.parse(good.out);
  assert.deepEqual([valid, isChecked, statement.predicate.run.id], [true, true, runId]);
  const [attempt] = statement.predicate.results.attempts;
  assert.match(attempt.verify.log.sha256, /^[0-9a-f]{64}$/);
  const log = await get(`/api/runs/${runId}/artifacts/${attempt.verify.log.sha256}`);
  const bytes = Buffer.from(await log.arrayBuffer());
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  assert.deepEqual({ sha256, bytes: bytes.length }, attempt.verify.log);
});

test("triptych run verify names the altered field, and ends with 2 without a key set", async () => {
  const altered = join(folder, "altered.json");
  const envelope = readStatement();
  writeFileSync(altered, JSON.stringify({ ...envelope, payload: Buffer.from("{}").toString("base64") }));
  const bad = await triptych("run", "verify", altered, "--jwks", keysFile);
  assert.equal(bad.code, 1, bad.out);
  assert.match(bad.out, /Invalid: signatures\[0\]\.sig: the signature does not match/);
  const missing = await triptych("run", "verify", statementFile, "--jwks", join(folder, "none.json"));
  assert.equal(missing.code, 2, missing.out);
});

test("an old statement verifies under the key set after a rotation", async () => {
  const rotated = await triptych("panel", "keys", "rotate", "--now", "--json");
  assert.equal(rotated.code, 0, rotated.out);
  const keys = (await (await get("/.well-known/jwks.json")).json()) as KeySet;
  assert.equal(keys.keys.length, 2);
  verifyWithSigstore(readStatement(), keys);
  assert.equal((await triptych("run", "verify", statementFile)).code, 0);
});
