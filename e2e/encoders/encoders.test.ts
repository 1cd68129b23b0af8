/** The real onnxruntime-node with a tiny model: pooling and batches agree with arithmetic. */
import assert from "node:assert/strict";
import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { openSentenceEncoder } from "../../packages/decisions/src/onnx/sentence-encoder.ts";
import { bertTokenizer } from "../../packages/decisions/test/support/encoder-folder.ts";
import { tinyModel } from "./tiny-model.ts";

const RUNTIME = import.meta.resolve("onnxruntime-node");
const WIDTH = 4;
/** [PAD], [UNK], [CLS], [SEP], then the words. */
const ROWS = [
  [9, 9, 9, 9],
  [0, 0, 0, 1],
  [1, 0, 0, 0],
  [0, 1, 0, 0],
  [3, 0, 4, 0],
  [0, 5, 0, 12],
];
const unit = (vector: readonly number[]) => vector.map((value) => value / Math.hypot(...vector));

describe("onnxruntime-node", () => {
  let folder = "";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "triptych-onnx-"));
    await writeFile(join(folder, "model.onnx"), tinyModel(Float32Array.from(ROWS.flat()), WIDTH));
    await writeFile(join(folder, "tokenizer.json"), JSON.stringify(bertTokenizer(["rain", "snow"])));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const close = (actual: Float64Array, expected: readonly number[]) => {
    for (const [index, value] of expected.entries()) assert.ok(Math.abs(actual[index] - value) < 1e-7, actual.join());
  };

  test("gives the mean of the tokens, alone and in a batch with padding", async () => {
    await using encoder = await openSentenceEncoder(folder, RUNTIME);
    assert.deepEqual([encoder.dims, encoder.pooling, encoder.tokenizer], [WIDTH, "mean", "WordPiece"]);
    close((await encoder.encode("rain")).vector, unit([4, 1, 4, 0]));
    const [rain, both] = await encoder.encodeBatch(["rain", "rain snow"]);
    close(rain.vector, unit([4, 1, 4, 0]));
    close(both.vector, unit([4, 6, 4, 12]));
  });

  test("gives the first token or the maximum, as the model's files say", async () => {
    await mkdir(join(folder, "1_Pooling"));
    for (const [mode, expected] of [
      ["cls", unit([1, 0, 0, 0])],
      ["max", unit([3, 5, 4, 12])],
    ] as const) {
      await writeFile(
        join(folder, "1_Pooling/config.json"),
        JSON.stringify({ [`pooling_mode_${mode}_token${mode === "max" ? "s" : ""}`]: true }),
      );
      await using encoder = await openSentenceEncoder(folder, RUNTIME);
      close((await encoder.encode("rain snow")).vector, expected);
    }
  });
});
