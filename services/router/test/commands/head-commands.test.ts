import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { loadHead, loadTrunk, readHead, trainHead, writeHead } from "@triptych/decisions";
import { xorshift } from "../../../../packages/decisions/src/math/xorshift.ts";
import { examples, TOPICS } from "../../../../packages/decisions/test/support/small-trunk.ts";
import { routerCommands } from "../../src/commands/router-commands.ts";
import { offlineContext } from "../support/offline-context.ts";
import { openStore } from "../../src/store/open-store.ts";
import { createFixture } from "../support/create-fixture.ts";
import { trainingRequest } from "../support/training-requests.ts";
import { smallFiles } from "../support/small-artifacts.ts";

const trunkFile = smallFiles().get("trunk.tptk") ?? new Uint8Array();
const trunk = loadTrunk(trunkFile);

async function openFolder() {
  const folder = await mkdtemp(join(tmpdir(), "triptych-router-"));
  return {
    folder,
    file: (name: string) => join(folder, name),
    async run(...args: string[]) {
      let output = "";
      const stdout = { write: (text: string) => (output += text) };
      const environment = { TRIPTYCH_DATA: join(folder, "data") };
      const trunkBytes = () => Promise.resolve(trunkFile);
      await routerCommands({ environment, stdout, trunkBytes, ...offlineContext }).parseAsync(["heads", ...args], {
        from: "user",
      });
      return output;
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

function smallHead(): Uint8Array {
  const routes = Object.keys(TOPICS).map((route) => ({ route }));
  return trainHead(trunk, { name: "topics", routes, examples: examples() }).bytes;
}

test("a head exported over HTTP and imported into another router gives identical numbers", async () => {
  await using here = await createFixture();
  await using there = await openFolder();
  const request = trainingRequest({ min_conf: 0.2, auto: true, domain: "sheep" });
  const { id, sha256 } = (await here.ask("/v1/heads", { body: request })).json();
  const { rawPayload } = await here.ask(`/v1/heads/${id}/artifact`);
  await writeFile(there.file("a.tphd"), rawPayload);
  assert.match(await there.run("verify", there.file("a.tphd")), /^acme: 4 routes/);
  assert.match(await there.run("import", there.file("a.tphd")), /^acme version 1, hed_\w+: live\n$/);
  assert.match(await there.run("import", there.file("a.tphd"), "--name", "other"), /^other version 1/);
  assert.match(await there.run("list"), new RegExp(`acme  version 1  live  ${sha256}`));
  await there.run("export", "acme", there.file("b.tphd"));
  assert.deepEqual(await readFile(there.file("b.tphd")), rawPayload);

  await using store = await openStore({ dataFolder: there.file("data"), databaseUrl: undefined });
  const [head] = await store.heads.list("local");
  assert.deepEqual([head?.settings.minConf, head?.settings.auto, head?.settings.domain], [0.2, true, "sheep"]);
  const decided = loadHead(new Uint8Array(rawPayload), trunk).decide(trunk.encode("reset my password"));
  const decision = { state: "reset my password", expert: "acme" };
  const answered = (await here.ask("/v1/decide", { body: decision })).json();
  assert.equal(answered.confidence, decided.confidence);
  assert.deepEqual(Object.values(answered.probabilities), [...decided.probabilities]);
});

test("verify and import reject truncated, corrupted or incompatible files with their codes, and import nothing", async () => {
  await using folder = await openFolder();
  const bytes = smallHead();
  const { sha256: _hash, plusBytes: _size, ...content } = readHead(bytes, trunk.sha256);
  for (const [refused, code] of [
    [bytes.slice(0, 10), /^(not_an_artifact|bad_length): /],
    [bytes.slice(0, -1), /^(bad_length|bad_checksum): /],
    [bytes.map((byte, at) => (at === 200 ? byte ^ 4 : byte)), /^bad_checksum: /],
    [writeHead({ ...content, trunk: "0".repeat(64) }), /^trunk_mismatch: /],
    [new Uint8Array(trunkFile), /^wrong_kind: /],
    [new Uint8Array(), /^not_an_artifact: /],
  ] as const) {
    await writeFile(folder.file("x.tphd"), refused);
    for (const command of ["verify", "import"])
      await assert.rejects(folder.run(command, folder.file("x.tphd")), { message: code });
  }
  assert.equal(await folder.run("list"), "No heads.\n");
});

test("import rejects an intact file with a failing report or without one, and imports nothing", async () => {
  await using folder = await openFolder();
  const { sha256: _hash, plusBytes: _size, ...content } = readHead(smallHead(), trunk.sha256);
  for (const [report, code] of [
    [{ accuracy: 0.26, ece_ci95: [0, 0.01] }, /^no_signal: .* no better than always predicting/],
    [{ accuracy: 0.99, ece_ci95: [0.051, 0.2] }, /^ece: .* not calibrated/],
    [{ accuracy: 0.99 }, /^ece: /],
    [{}, /^no_signal: /],
  ] as const) {
    await writeFile(folder.file("x.tphd"), writeHead({ ...content, card: { ...content.card, report } }));
    await assert.rejects(folder.run("import", folder.file("x.tphd")), { message: code });
  }
  assert.equal(await folder.run("list"), "No heads.\n");
});

test("rejects every truncation and a thousand bit flips of a head file with a code", () => {
  const bytes = smallHead();
  const random = xorshift(9);
  const refuses = (file: Uint8Array) => assert.throws(() => readHead(file, trunk.sha256), { name: "ArtifactError" });
  for (let length = 0; length < bytes.length; length += 1 + Math.floor(bytes.length / 500))
    refuses(bytes.slice(0, length));
  for (let round = 0; round < 1000; round++) {
    const flipped = Uint8Array.from(bytes);
    flipped[Math.floor(random() * bytes.length)] ^= 1 << Math.floor(random() * 8);
    refuses(flipped);
  }
});

test("requires an owner that a gateway can name", async () => {
  await using there = await openFolder();
  await writeFile(there.file("a.tphd"), smallHead());
  for (const owner of ["", "a b", "x".repeat(65)])
    await assert.rejects(there.run("import", there.file("a.tphd"), "--owner", owner), /Expected a wallet ID/);
  assert.match(await there.run("import", there.file("a.tphd"), "--owner", "wal_a"), /version 1, hed_\w+: live/);
  assert.equal(await there.run("list"), "No heads.\n");
});
