/** Starts that fail because of ROUTER_TRUNK, in a real process, as an operator sees them. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import {
  bertTokenizer,
  encoderFiles,
  encoderFolder,
} from "../../../../packages/decisions/test/support/encoder-folder.ts";
import { start } from "../../src/service.ts";

const START = fileURLToPath(new URL("../../../../start.mjs", import.meta.url));
const INSTALL = "Install it: ONNXRUNTIME_NODE_INSTALL=skip npm i onnxruntime-node";

function started(folder: string): Promise<{ readonly code: unknown; readonly output: string }> {
  const env = {
    PATH: process.env["PATH"],
    TRIPTYCH_DATA: join(folder, "data"),
    ROUTER_PORT: "0",
    ROUTER_TRUNK: `onnx:${folder}`,
  };
  return new Promise((resolve) => {
    execFile(process.execPath, [START, "start", "router"], { env, timeout: 60_000 }, (error, _stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stderr }),
    );
  });
}

test("without onnxruntime-node, a start with an encoder explains the installation in one sentence and exits with 1", async () => {
  await using brought = await encoderFolder();
  const { code, output } = await started(brought.folder);
  assert.equal(code, 1);
  assert.equal(
    output,
    `ROUTER_TRUNK: A sentence encoder requires onnxruntime-node, which is not included in the router. ${INSTALL}\n`,
  );
});

test("reports a folder without a model and an unsupported tokenizer without a stack or path", async () => {
  const tokenizer = JSON.stringify({ ...bertTokenizer([]), model: { type: "WordLevel", vocab: { a: 0 } } });
  for (const [files, sentence] of [
    [{}, /^ROUTER_TRUNK: The folder of the sentence encoder has no model\.onnx and no tokenizer\.json: /],
    [
      { ...encoderFiles(), "tokenizer.json": tokenizer },
      /^ROUTER_TRUNK: The tokenizer\.json .* its model is WordLevel/,
    ],
  ] as const) {
    await using brought = await encoderFolder(files);
    const environment = { TRIPTYCH_DATA: join(brought.folder, "data"), LOG_LEVEL: "silent", ROUTER_PORT: "0" };
    await assert.rejects(start({ ...environment, ROUTER_TRUNK: `onnx:${brought.folder}` }), ({ message }: Error) => {
      assert.match(message, sentence);
      return !message.includes(brought.folder) && !message.includes("\n");
    });
  }
});
