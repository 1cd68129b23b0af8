import assert from "node:assert/strict";
import { test } from "node:test";
import { pool, readPooling } from "../src/onnx/pooling.ts";
import { openSentenceEncoder, sentenceEncoderIdentity } from "../src/onnx/sentence-encoder.ts";
import { encoderFiles, encoderFolder, STAND_IN } from "./support/encoder-folder.ts";

const config = (mode: string) => JSON.stringify({ word_embedding_dimension: 32, [`pooling_mode_${mode}`]: true });
const modules = (...names: string[]) =>
  JSON.stringify(names.map((name) => ({ type: `sentence_transformers.models.${name}` })));

test("reads mean, cls and max from 1_Pooling/config.json, and uses the mean without this file", () => {
  assert.equal(readPooling({ pooling: null, modules: null }), "mean");
  assert.equal(
    readPooling({ pooling: config("mean_tokens"), modules: modules("Transformer", "Pooling", "Normalize") }),
    "mean",
  );
  assert.equal(readPooling({ pooling: config("cls_token"), modules: null }), "cls");
  assert.equal(readPooling({ pooling: config("max_tokens"), modules: modules("Transformer", "Pooling") }), "max");
});

test("rejects a model with any other pooling or module", () => {
  const refused = (pooling: string | null, list: string | null, message: RegExp) =>
    assert.throws(() => readPooling({ pooling, modules: list }), { name: "EncoderError", message });
  refused(config("weightedmean_tokens"), null, /pooling_mode_weightedmean_tokens; only mean, cls or max/);
  refused(JSON.stringify({ pooling_mode_cls_token: true, pooling_mode_mean_tokens: true }), null, /one of them/);
  refused("{}", null, /is not set/);
  refused(null, modules("Transformer", "Pooling", "Dense"), /has the module Dense/);
  refused("no json", null, /is not valid JSON/);
});

test("pools the rows of a text without its padding", () => {
  const data = Float32Array.from([1, 5, 3, -1, 90, 90]);
  const pooled = (pooling: "mean" | "cls" | "max") => [...pool({ data, width: 2, tokens: 2 }, pooling).subarray(0, 2)];
  assert.deepEqual(
    [pooled("mean"), pooled("cls"), pooled("max")],
    [
      [2, 2],
      [1, 5],
      [3, 5],
    ],
  );
});

test("an encoder uses its pooling, which is part of its identity", async () => {
  await using plain = await encoderFolder();
  await using mean = await encoderFolder({ ...encoderFiles(), "1_Pooling/config.json": config("mean_tokens") });
  await using first = await encoderFolder({ ...encoderFiles(), "1_Pooling/config.json": config("cls_token") });
  assert.equal(await sentenceEncoderIdentity(mean.folder), await sentenceEncoderIdentity(plain.folder));
  await using encoder = await openSentenceEncoder(first.folder, STAND_IN);
  assert.notEqual(encoder.sha256, await sentenceEncoderIdentity(plain.folder));
  // The opening token is the same for all texts of the stand-in.
  const [rain, money] = await encoder.encodeBatch(["rain", "my money back"]);
  assert.deepEqual(rain.vector, money.vector);
});

test("a batch gives each text the vector that it has alone", async () => {
  await using brought = await encoderFolder();
  await using encoder = await openSentenceEncoder(brought.folder, STAND_IN);
  const texts = ["will it rain", "", "I want my money back for the order of last week", "天気"];
  const alone = [];
  for (const text of texts) alone.push(await encoder.encode(text));
  assert.deepEqual(await encoder.encodeBatch(texts), alone);
});
