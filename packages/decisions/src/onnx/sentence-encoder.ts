/**
 * A sentence encoder of the operator: a Hugging Face folder. A text becomes the normalized mean of its token vectors,
 * or the model's single output vector. One text at a time: sums have a fixed order. The runtime blocks the calling
 * thread.
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  EncoderError,
  firstLine,
  loadOnnxRuntime,
  ONNX_RUNTIME,
  type OnnxSession,
  type OnnxTensor,
} from "./onnx-runtime.ts";
import { openWordPieces, type WordPieces } from "./word-pieces.ts";

export interface SentenceVector {
  readonly vector: Float64Array;
  readonly truncated: boolean;
}

export interface SentenceEncoder extends AsyncDisposable {
  readonly sha256: string;
  /** A multiple of four, as the loops of heads require: a narrower model is padded with zeros. */
  readonly dims: number;
  /** `context`: earlier messages, with the usual low weight. */
  encode(state: string, context?: string): Promise<SentenceVector>;
}

const CONTEXT_WEIGHT = 0.3;
const SUPPORTED_INPUTS = ["input_ids", "attention_mask", "token_type_ids"];
const OUTPUTS_OF_PIECES = ["last_hidden_state", "token_embeddings"];
const SESSION_OPTIONS = {
  executionProviders: ["cpu"],
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: "sequential",
  // Errors only: problems of a model are reported by what it throws.
  logSeverityLevel: 3,
};

/** Throws an EncoderError for the operator. `runtime`: the module that runs the model. */
export async function openSentenceEncoder(folder: string, runtime: string = ONNX_RUNTIME): Promise<SentenceEncoder> {
  const { model, tokenizer } = await filesIn(folder);
  const sha256 = identityOf(model, tokenizer);
  const pieces = openWordPieces(tokenizer);
  const { InferenceSession, Tensor } = await loadOnnxRuntime(runtime);
  const session = await orEncoderError("Cannot load the model.onnx of the sentence encoder", () =>
    InferenceSession.create(model, SESSION_OPTIONS),
  );
  const strange = session.inputNames.filter((name) => !SUPPORTED_INPUTS.includes(name));
  if (strange.length > 0)
    throw new EncoderError(
      `The model.onnx of the sentence encoder requires the inputs ${strange.join(", ")}; only ${SUPPORTED_INPUTS.join(", ")} are supported.`,
    );
  const output = OUTPUTS_OF_PIECES.find((name) => session.outputNames.includes(name)) ?? session.outputNames[0];
  const tensorOf = (ids: readonly number[]) => new Tensor("int64", BigInt64Array.from(ids, BigInt), [1, ids.length]);
  const parts = { session, pieces, output, tensorOf };
  const first = await orEncoderError("The model.onnx of the sentence encoder fails to run", () =>
    unitOf(parts, "A text."),
  );
  const dims = first.vector.length;
  let last: Promise<unknown> = Promise.resolve();

  return { sha256, dims, encode, [Symbol.asyncDispose]: () => inSequence(() => session.release()) };

  async function encode(state: string, context = ""): Promise<SentenceVector> {
    const encoded = await inSequence(() => unitOf(parts, state));
    if (context === "") return encoded;
    const before = await inSequence(() => unitOf(parts, context));
    const sum = encoded.vector.map((value, d) => value + CONTEXT_WEIGHT * before.vector[d]);
    return { vector: unit(sum), truncated: encoded.truncated || before.truncated };
  }

  function inSequence<T>(work: () => Promise<T>): Promise<T> {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  }
}

/** Identity of a folder, without opening the model: the name that its heads contain. */
export async function sentenceEncoderIdentity(folder: string): Promise<string> {
  const { model, tokenizer } = await filesIn(folder);
  return identityOf(model, tokenizer);
}

function identityOf(model: Uint8Array, tokenizer: Uint8Array): string {
  return createHash("sha256").update(model).update(tokenizer).digest("hex");
}

async function filesIn(folder: string) {
  const model = (await readOrNull(join(folder, "model.onnx"))) ?? (await readOrNull(join(folder, "onnx/model.onnx")));
  const tokenizer = await readOrNull(join(folder, "tokenizer.json"));
  if (model === null || tokenizer === null) {
    const absent = [...(model === null ? ["model.onnx"] : []), ...(tokenizer === null ? ["tokenizer.json"] : [])];
    throw new EncoderError(
      `The folder of the sentence encoder has no ${absent.join(" and no ")}: model.onnx (or onnx/model.onnx) and tokenizer.json are required.`,
    );
  }
  return { model, tokenizer };
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

async function orEncoderError<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof EncoderError) throw error;
    throw new EncoderError(`${what}: ${firstLine(error)}`, { cause: error });
  }
}

interface EncoderParts {
  readonly session: OnnxSession;
  readonly pieces: WordPieces;
  readonly output: string;
  readonly tensorOf: (ids: readonly number[]) => OnnxTensor;
}

async function unitOf({ session, pieces, output, tensorOf }: EncoderParts, text: string): Promise<SentenceVector> {
  const { ids, truncated } = pieces.read(text);
  const feeds = Object.fromEntries(
    session.inputNames.map((name) => {
      if (name === "input_ids") return [name, tensorOf(ids)];
      // Without padding, all tokens count; and there is no second text.
      return [name, tensorOf(ids.map(() => (name === "attention_mask" ? 1 : 0)))];
    }),
  );
  const answered = await session.run(feeds);
  return { vector: unit(meanOf(answered[output])), truncated };
}

/** 1 x tokens x width, or 1 x width. */
function meanOf({ dims, data }: OnnxTensor): Float64Array {
  const width = dims.at(-1) ?? 0;
  const isSupported = (dims.length === 3 || dims.length === 2) && dims[0] === 1 && width > 0;
  if (!isSupported || !(data instanceof Float32Array))
    throw new EncoderError("The model.onnx of the sentence encoder must return 32-bit floats, per token or per text.");
  const rows = data.length / width;
  const mean = new Float64Array(Math.ceil(width / 4) * 4);
  for (let row = 0; row < rows; row++) for (let d = 0; d < width; d++) mean[d] += data[row * width + d];
  for (let d = 0; d < width; d++) mean[d] /= rows;
  return mean;
}

function unit(vector: Float64Array): Float64Array {
  let square = 0;
  for (const value of vector) square += value * value;
  if (!Number.isFinite(square)) throw new EncoderError("The model.onnx of the sentence encoder returns no numbers.");
  const length = Math.sqrt(square);
  return length === 0 ? vector : vector.map((value) => value / length);
}
