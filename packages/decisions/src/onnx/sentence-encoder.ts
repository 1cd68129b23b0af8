/**
 * A sentence encoder of the operator: a Hugging Face folder. A text becomes the normalized pool of its token vectors, or the model's single
 * output vector. The runtime blocks the calling thread.
 */
import { EncoderError, firstLine } from "./optional-module.ts";
import { identityOf, readEncoderFiles } from "./encoder-files.ts";
import { loadOnnxRuntime, ONNX_RUNTIME, type OnnxSession, type OnnxTensor } from "./onnx-runtime.ts";
import { pool, type Pooling } from "./pooling.ts";
import { openTokenizer, type TextTokenizer } from "./text-tokenizer.ts";

export interface SentenceVector {
  readonly vector: Float64Array;
  readonly truncated: boolean;
}

export interface SentenceEncoder extends AsyncDisposable {
  readonly sha256: string;
  /** A multiple of four, as the loops of heads require; the vectors of other models are padded with zeros. */
  readonly dims: number;
  /** Kind of its tokenizer. */
  readonly tokenizer: string;
  readonly pooling: Pooling;
  /** `context`: earlier messages, with the usual low weight. */
  encode(state: string, context?: string): Promise<SentenceVector>;
  /** Runs the model once, on at most `ENCODER_BATCH_MAX` texts. */
  encodeBatch(texts: readonly string[]): Promise<readonly SentenceVector[]>;
}

/** Larger batches need more memory and are not faster on one core. */
export const ENCODER_BATCH_MAX = 16;
const CONTEXT_WEIGHT = 0.3;
const SUPPORTED_INPUTS = ["input_ids", "attention_mask", "token_type_ids"];
const OUTPUTS_OF_PIECES = ["last_hidden_state", "token_embeddings"];
const SESSION_OPTIONS = {
  executionProviders: ["cpu"],
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: "sequential",
  // Logs errors only; problems of a model are reported by the exceptions that it throws.
  logSeverityLevel: 3,
};

/** Throws an EncoderError for the operator. `runtime` is the module that runs the model. */
export async function openSentenceEncoder(folder: string, runtime: string = ONNX_RUNTIME): Promise<SentenceEncoder> {
  const files = await readEncoderFiles(folder);
  const tokenizer = await openTokenizer(files.tokenizer);
  const { InferenceSession, Tensor } = await loadOnnxRuntime(runtime);
  const session = await orEncoderError("Cannot load the model.onnx of the sentence encoder", () =>
    InferenceSession.create(files.model, SESSION_OPTIONS),
  );
  const strange = session.inputNames.filter((name) => !SUPPORTED_INPUTS.includes(name));
  if (strange.length > 0)
    throw new EncoderError(
      `The model.onnx of the sentence encoder requires the inputs ${strange.join(", ")}; only ${SUPPORTED_INPUTS.join(", ")} are supported.`,
    );
  const output = OUTPUTS_OF_PIECES.find((name) => session.outputNames.includes(name)) ?? session.outputNames[0];
  const tensorOf = (ids: readonly number[], rows: number) =>
    new Tensor("int64", BigInt64Array.from(ids, BigInt), [rows, ids.length / rows]);
  const parts = { session, tokenizer, output, pooling: files.pooling, tensorOf };
  const [first] = await orEncoderError("The model.onnx of the sentence encoder fails to run", () =>
    vectorsOf(parts, ["A text."]),
  );
  let last: Promise<unknown> = Promise.resolve();

  return {
    sha256: identityOf(files),
    dims: first.vector.length,
    tokenizer: tokenizer.kind,
    pooling: files.pooling,
    encode,
    encodeBatch: (texts) => inSequence(() => vectorsOf(parts, texts)),
    [Symbol.asyncDispose]: () => inSequence(() => session.release()),
  };

  async function encode(state: string, context = ""): Promise<SentenceVector> {
    const [encoded] = await inSequence(() => vectorsOf(parts, [state]));
    if (context === "") return encoded;
    const [before] = await inSequence(() => vectorsOf(parts, [context]));
    return withContext(encoded, before);
  }

  function inSequence<T>(work: () => Promise<T>): Promise<T> {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  }
}

export function withContext(encoded: SentenceVector, before: SentenceVector): SentenceVector {
  const sum = encoded.vector.map((value, d) => value + CONTEXT_WEIGHT * before.vector[d]);
  return { vector: unit(sum), truncated: encoded.truncated || before.truncated };
}

/** The identity of a folder, which its heads refer to, without opening the model. */
export async function sentenceEncoderIdentity(folder: string): Promise<string> {
  return identityOf(await readEncoderFiles(folder));
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
  readonly tokenizer: TextTokenizer;
  readonly output: string;
  readonly pooling: Pooling;
  readonly tensorOf: (ids: readonly number[], rows: number) => OnnxTensor;
}

async function vectorsOf(parts: EncoderParts, texts: readonly string[]): Promise<readonly SentenceVector[]> {
  const { session, tokenizer, output, pooling, tensorOf } = parts;
  const read = texts.map((text) => tokenizer.read(text));
  const longest = Math.max(...read.map(({ ids }) => ids.length));
  const padded = (ids: readonly number[], fill: number) => [
    ...ids,
    ...Array.from({ length: longest - ids.length }, () => fill),
  ];
  const values: Readonly<Record<string, () => number[]>> = {
    input_ids: () => read.flatMap(({ ids }) => padded(ids, tokenizer.padId)),
    attention_mask: () =>
      read.flatMap(({ ids }) =>
        padded(
          ids.map(() => 1),
          0,
        ),
      ),
    // All zero, because there is no second text.
    token_type_ids: () => read.flatMap(() => Array.from({ length: longest }, () => 0)),
  };
  const feeds = session.inputNames.map((name) => [name, tensorOf(values[name](), texts.length)] as const);
  const answered = await session.run(Object.fromEntries(feeds));
  const { rows, width } = shapeOf(answered[output], texts.length);
  const data = dataOf(answered[output]);
  return read.map(({ ids, truncated }, index) => {
    const part = data.subarray(index * rows * width, (index + 1) * rows * width);
    return { vector: unit(pool({ data: part, width, tokens: Math.min(rows, ids.length) }, pooling)), truncated };
  });
}

/** The shape is texts x tokens x width, or texts x width. */
function shapeOf({ dims }: OnnxTensor, texts: number): { readonly rows: number; readonly width: number } {
  const width = dims.at(-1) ?? 0;
  if ((dims.length !== 3 && dims.length !== 2) || dims[0] !== texts || width <= 0) throw notFloats();
  return { rows: dims.length === 3 ? dims[1] : 1, width };
}

function dataOf({ data }: OnnxTensor): Float32Array {
  if (data instanceof Float32Array) return data;
  throw notFloats();
}

function notFloats(): EncoderError {
  return new EncoderError("The model.onnx of the sentence encoder must return 32-bit floats, per token or per text.");
}

function unit(vector: Float64Array): Float64Array {
  let square = 0;
  for (const value of vector) square += value * value;
  if (!Number.isFinite(square)) throw new EncoderError("The model.onnx of the sentence encoder returns no numbers.");
  const length = Math.sqrt(square);
  return length === 0 ? vector : vector.map((value) => value / length);
}
