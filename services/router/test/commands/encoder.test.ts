import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { encoderFiles, encoderFolder, STAND_IN } from "../../../../packages/decisions/test/support/encoder-folder.ts";
import { TOPICS } from "../../../../packages/decisions/test/support/small-trunk.ts";
import { sentenceEncoderIdentity } from "@triptych/decisions";
import { runCommand } from "../support/run-command.ts";
import { smallFiles } from "../support/small-artifacts.ts";

const data = mkdtempSync(join(tmpdir(), "triptych-encoder-data-"));
after(() => rmSync(data, { recursive: true, force: true }));
const options = {
  environment: { TRIPTYCH_DATA: data },
  runtime: STAND_IN,
  trunkBytes: () => Promise.resolve(smallFiles().get("trunk.tptk") ?? new Uint8Array()),
};

describe("triptych router encoder", () => {
  let brought: Awaited<ReturnType<typeof encoderFolder>>;
  before(async () => {
    const pooling = JSON.stringify({ pooling_mode_max_tokens: true });
    brought = await encoderFolder({ ...encoderFiles(), "1_Pooling/config.json": pooling, "README.md": "not copied" });
  });
  after(() => brought[Symbol.asyncDispose]());

  test("add prints the properties of the encoder, and copies its files into the data folder", async () => {
    const { folder } = brought;
    const ran = await runCommand(["encoder", "add", folder], options);
    assert.equal(ran.code, 0, ran.err);
    const target = join(data, "encoders", basename(folder));
    assert.match(ran.out, new RegExp(`^identity   ${await sentenceEncoderIdentity(target)}$`, "m"));
    for (const line of [
      /^dimensions 32$/m,
      /^tokenizer  WordPiece$/m,
      /^pooling    max$/m,
      /^speed {6}\d+\.\d\d ms per text/m,
    ])
      assert.match(ran.out, line);
    assert.ok(ran.out.endsWith(`Start the router with ROUTER_TRUNK=onnx:${target}\n`));
    assert.deepEqual(readdirSync(target).toSorted(), ["1_Pooling", "model.onnx", "tokenizer.json"]);
    assert.deepEqual(readFileSync(join(target, "model.onnx")), readFileSync(join(folder, "model.onnx")));
    const { sha256, dims } = JSON.parse((await runCommand(["encoder", "add", folder, "--json"], options)).out);
    assert.deepEqual([sha256, dims], [await sentenceEncoderIdentity(folder), 32]);
  });

  test("add rejects an incomplete folder, and says what to install if the runtime is missing", async () => {
    const nothing = await runCommand(["encoder", "add", join(data, "nowhere")], options);
    assert.equal(nothing.code, 1);
    assert.match(nothing.err, /has no model\.onnx and no tokenizer\.json/);
    const { runtime: _absent, ...without } = options;
    const ran = await runCommand(["encoder", "add", brought.folder], without);
    assert.deepEqual([ran.code, ran.out], [1, ""]);
    assert.match(ran.err, /^A sentence encoder requires onnxruntime-node, .* Install it: /);
  });

  test("compare prints accuracy, macro-F1, ECE and time of trunk and encoder", async () => {
    const file = join(data, "examples.jsonl");
    const rows = Object.entries(TOPICS).flatMap(([route, texts]) => texts.map((text) => ({ text, route })));
    writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    const ran = await runCommand(["encoder", "compare", brought.folder, "--data", file], options);
    assert.equal(ran.code, 0, ran.err);
    const percents = String.raw`(\d+\.\d % +){3}\d+ us`;
    assert.match(
      ran.out,
      new RegExp(`^model +accuracy +macro-F1 +ECE +per decision\ntrunk +${percents}\nencoder +${percents}\n$`),
    );
    assert.ok(ran.out.split("\n").every((line) => line.length <= 60));
    const listed = JSON.parse(
      (await runCommand(["encoder", "compare", brought.folder, "--data", file, "--json"], options)).out,
    );
    assert.deepEqual(
      listed.map(({ model, n }: { model: string; n: number }) => [model, n]),
      [
        ["trunk", rows.length],
        ["encoder", rows.length],
      ],
    );
    writeFileSync(file, '{"text":"x","route":"a"}\n{"text":"y","route":"b"}\n');
    const short = await runCommand(["encoder", "compare", brought.folder, "--data", file], options);
    assert.equal(short.code, 2);
    assert.match(short.err, /at least 5 texts/);
  });
});
