/** Lifecycle of a head on a sentence encoder: next to trunk heads, as a shadow, recalibrated, and as a file. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { routerCommands } from "../../src/commands/router-commands.ts";
import { offlineContext } from "../support/offline-context.ts";
import { bringHead } from "../support/imported-heads.ts";
import { createEncoderFixture } from "../support/encoder-fixture.ts";
import { trainingRequest } from "../support/training-requests.ts";

const state = "please reset my password";

test("a head on the bundled trunk is listed, but rejected until it is trained again", async () => {
  await using opened = await createEncoderFixture();
  const { fixture, ask, train } = opened;
  await bringHead(fixture, { name: "acme" });
  const refused = await fixture.ask("/v1/decide", { body: { state, expert: "acme" } });
  assert.deepEqual([refused.statusCode, refused.json().code], [409, "trunk_mismatch"]);

  const anew = await train();
  assert.equal(anew.state, "ready");
  const promote = { method: "POST", body: { force: true } } as const;
  assert.equal((await fixture.ask(`/v1/heads/${anew.id}/promote`, promote)).statusCode, 200);
  assert.equal((await ask("/v1/decide", { state, expert: "acme" })).via, "onnx");
});

test("shadow evaluation and feedback work, and a recalibration never changes the choice", async () => {
  await using opened = await createEncoderFixture();
  const { fixture, ask, train } = opened;
  const live = await train();
  const next = await train({ seed: 2 });
  await ask(`/v1/heads/${next.id}/shadow`, { enabled: true });
  const before = await ask("/v1/decide", { state, expert: "acme" });

  const texts = trainingRequest().routes.flatMap(({ route, phrasings }) =>
    phrasings.flatMap((text) =>
      ["ok", "so", "well", "hm"].map((greeting) => ({ state: text.replace("{greeting}", greeting), route })),
    ),
  );
  const items = texts.map((item) => ({ expert: "acme", ...item }));
  const { feedback } = await ask("/v1/feedback", { items, expert: "acme" });
  assert.equal(feedback.n, 128);
  assert.ok(feedback.accuracy > 0.9);
  await ask("/v1/feedback", { expert: "acme", state, route: "password", recalibrate: true });
  await fixture.owned.shadowing.flush();
  const { shadow } = (await fixture.ask(`/v1/heads/${next.id}`)).json();
  assert.deepEqual([shadow.n, shadow.labelled], [1, 129]);
  const after = await ask("/v1/decide", { state, expert: live.id });
  assert.deepEqual([after.choice, after.via], [before.choice, "onnx"]);
});

test("its file is verified and imported without opening a model, and only with the same encoder", async () => {
  await using opened = await createEncoderFixture();
  const { fixture, folder, train } = opened;
  const { links } = await train();
  const file = join(folder, "acme.tphd");
  await writeFile(file, (await fixture.ask(links.artifact)).rawPayload);
  const run = async (environment: Readonly<Record<string, string>>, ...args: string[]) => {
    let output = "";
    const stdout = { write: (text: string) => (output += text) };
    const variables = { TRIPTYCH_DATA: join(folder, "data"), ...environment };
    const commands = routerCommands({ environment: variables, stdout, ...offlineContext });
    await commands.parseAsync(["heads", ...args], { from: "user" });
    return output;
  };
  const here = { ROUTER_TRUNK: `onnx:${folder}` };
  assert.match(await run(here, "verify", file), /^acme: 4 routes/);
  assert.match(await run(here, "import", file), /^acme version 1, hed_\w+: live/);
  await assert.rejects(run({}, "verify", file), /^Error: trunk_mismatch: /);
  await assert.rejects(run({ ROUTER_TRUNK: `onnx:${folder}/nowhere` }, "verify", file), /^Error: ROUTER_TRUNK: /);
});

test("files replaced at runtime fail the next training, and the router keeps its loaded models", async () => {
  await using opened = await createEncoderFixture();
  const { folder, train, ask } = opened;
  await writeFile(join(folder, "model.onnx"), JSON.stringify({ width: 16 }));
  const { state: end, reason } = await train();
  assert.deepEqual([end, reason], ["failed", "internal"]);
  assert.equal((await ask("/v1/decide", { state })).expert, "tools");
});
