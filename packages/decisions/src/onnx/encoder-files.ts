/** Reads the files of an encoder folder in the layout of Hugging Face. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { EncoderError } from "./optional-module.ts";
import { readPooling, type Pooling } from "./pooling.ts";

export interface EncoderFiles {
  readonly model: Uint8Array;
  readonly tokenizer: Uint8Array;
  readonly pooling: Pooling;
  /** Contents by path in the folder. */
  readonly contents: ReadonlyMap<string, Uint8Array>;
}

const MODEL_PATHS = ["model.onnx", "onnx/model.onnx"];
const TOKENIZER = "tokenizer.json";
const POOLING = "1_Pooling/config.json";
const MODULES = "modules.json";

export async function readEncoderFiles(folder: string): Promise<EncoderFiles> {
  const contents = new Map<string, Uint8Array>();
  for (const path of [...MODEL_PATHS, TOKENIZER, POOLING, MODULES]) {
    const bytes = await readOrNull(join(folder, path));
    if (bytes !== null) contents.set(path, bytes);
  }
  const model = MODEL_PATHS.map((path) => contents.get(path)).find((bytes) => bytes !== undefined);
  const tokenizer = contents.get(TOKENIZER);
  if (model === undefined || tokenizer === undefined) {
    const absent = [...(model === undefined ? ["model.onnx"] : []), ...(tokenizer === undefined ? [TOKENIZER] : [])];
    throw new EncoderError(
      `The folder of the sentence encoder has no ${absent.join(" and no ")}: model.onnx (or onnx/model.onnx) and tokenizer.json are required.`,
    );
  }
  const textOf = (path: string) => {
    const bytes = contents.get(path);
    return bytes === undefined ? null : Buffer.from(bytes).toString("utf8");
  };
  return { model, tokenizer, pooling: readPooling({ pooling: textOf(POOLING), modules: textOf(MODULES) }), contents };
}

/** Hex SHA-256 of everything that changes the vectors: the model, the tokenizer, and a pooling other than the mean. */
export function identityOf({
  model,
  tokenizer,
  pooling,
}: Pick<EncoderFiles, "model" | "tokenizer" | "pooling">): string {
  const hash = createHash("sha256").update(model).update(tokenizer);
  return (pooling === "mean" ? hash : hash.update(pooling)).digest("hex");
}

async function readOrNull(path: string): Promise<Uint8Array | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) return null;
    throw new EncoderError(`Cannot read a file of the sentence encoder: ${codeOf(error)}.`, { cause: error });
  }
}

/** The message of a file error contains the path, which is a configuration value. */
function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown";
}
