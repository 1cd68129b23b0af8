import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { openSentenceEncoder, sentenceEncoderIdentity } from "../src/onnx/sentence-encoder.ts";
import { encoderFiles, encoderFolder, STAND_IN } from "./support/encoder-folder.ts";
import type { StandInModel } from "./support/stand-in-onnx.ts";

async function open(model?: StandInModel) {
  await using brought = await encoderFolder(encoderFiles(model));
  return await openSentenceEncoder(brought.folder, STAND_IN);
}

const lengthOf = (vector: Float64Array) => Math.hypot(...vector);

test("a text becomes a unit vector, always the same, whatever else is encoded", async () => {
  await using encoder = await open();
  const texts = ["will it rain", "I want my money back", "", "天気", "\u0000"];
  const alone: Float64Array[] = [];
  for (const text of texts) alone.push((await encoder.encode(text)).vector);
  for (const vector of alone) assert.ok(vector.length === 32 && Math.abs(lengthOf(vector) - 1) < 1e-12);
  const together = await Promise.all(texts.toReversed().map((text) => encoder.encode(text)));
  assert.deepEqual(
    together.toReversed().map(({ vector }) => vector),
    alone,
  );
});

test("context counts with a low weight", async () => {
  await using encoder = await open();
  const along = (a: Float64Array, b: Float64Array) => a.reduce((sum, value, d) => sum + value * b[d], 0);
  const { vector: alone } = await encoder.encode("will it rain");
  const { vector: before } = await encoder.encode("reset my password");
  const { vector: both } = await encoder.encode("will it rain", "reset my password");
  assert.ok(along(both, before) > along(alone, before));
  assert.ok(along(both, alone) > along(both, before));
  assert.ok(Math.abs(lengthOf(both) - 1) < 1e-12);
});

test("reports truncation of a text longer than the model limit, wherever it is too long", async () => {
  await using encoder = await open();
  const long = "rain ".repeat(400);
  const cut = [encoder.encode("rain"), encoder.encode(long), encoder.encode("rain", long)];
  assert.deepEqual(
    (await Promise.all(cut)).map(({ truncated }) => truncated),
    [false, true, true],
  );
});

test("uses a single output vector as is, and pads a narrow one with zeros", async () => {
  await using encoder = await open({ answers: "text", output: "sentence_embedding", width: 6, inputs: ["input_ids"] });
  const { vector } = await encoder.encode("rain");
  assert.equal(encoder.dims, 8);
  assert.deepEqual([...vector.subarray(6)], [0, 0]);
  assert.ok(vector[5] !== 0);
});

test("its identity is the SHA-256 of model and tokenizer, without opening the model, wherever the model is in the folder", async () => {
  const files = encoderFiles();
  const sha256 = createHash("sha256").update(files["model.onnx"]).update(files["tokenizer.json"]).digest("hex");
  await using flat = await encoderFolder(files);
  const { "model.onnx": model, ...others } = files;
  await using deep = await encoderFolder({ ...others, "onnx/model.onnx": model });
  await using other = await encoderFolder(encoderFiles({ width: 16 }));
  assert.equal(await sentenceEncoderIdentity(flat.folder), sha256);
  assert.equal(await sentenceEncoderIdentity(deep.folder), sha256);
  assert.notEqual(await sentenceEncoderIdentity(other.folder), sha256);
  await using encoder = await openSentenceEncoder(deep.folder, STAND_IN);
  assert.equal(encoder.sha256, sha256);
});

test("rejects a folder without the files, names them, and hides its path", async () => {
  const { "tokenizer.json": tokenizer, ...model } = encoderFiles();
  for (const [files, absent] of [
    [{}, "no model.onnx and no tokenizer.json"],
    [model, "no tokenizer.json"],
    [{ "tokenizer.json": tokenizer }, "no model.onnx"],
  ] as const) {
    await using brought = await encoderFolder(files);
    const isRefused = ({ name, message }: Error) =>
      name === "EncoderError" && message.includes(absent) && !message.includes(brought.folder);
    await assert.rejects(openSentenceEncoder(brought.folder, STAND_IN), isRefused);
    await assert.rejects(sentenceEncoderIdentity(brought.folder), isRefused);
  }
});

test("rejects a model with unsupported inputs or outputs", async () => {
  const inputs = ["input_ids", "pixel_values"];
  await assert.rejects(open({ inputs }), { name: "EncoderError", message: /requires the inputs pixel_values/ });
  await assert.rejects(open({ answers: "doubles" }), {
    name: "EncoderError",
    message: /must return 32-bit floats/,
  });
  await assert.rejects(open({ answers: "nothing" }), { name: "EncoderError", message: /no numbers/ });
  await using brought = await encoderFolder({ ...encoderFiles(), "model.onnx": "no model" });
  await assert.rejects(openSentenceEncoder(brought.folder, STAND_IN), {
    name: "EncoderError",
    message: /Cannot load the model/,
  });
});

test("reports a missing, old or invalid runtime with the install command", async () => {
  await using brought = await encoderFolder();
  const install = "Install it: ONNXRUNTIME_NODE_INSTALL=skip npm i onnxruntime-node";
  const refused = async (runtime: string | undefined, expected: string) =>
    await assert.rejects(
      openSentenceEncoder(brought.folder, runtime),
      ({ name, message }: Error) => name === "EncoderError" && message.includes(expected) && message.includes(install),
    );
  await refused(undefined, "is not included in the router");
  await refused("node:path", "something else is installed");
  await refused(new URL("./support/old-onnx.ts", import.meta.url).href, "1.29.0 is installed");
  await assert.rejects(openSentenceEncoder(brought.folder, "data:text/javascript,throw new Error('no GLIBC')"), {
    name: "EncoderError",
    message: "onnxruntime-node is installed but fails to load: no GLIBC",
  });
});
