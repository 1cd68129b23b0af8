/**
 * A fake onnxruntime-node: sessions return a deterministic vector per ID. Its "model" is a JSON text with inputs,
 * outputs and vector width, so that tests can use invalid ones.
 */
import { xorshift } from "../../src/math/xorshift.ts";

export interface StandInModel {
  readonly inputs?: readonly string[];
  readonly output?: string;
  readonly width?: number;
  /** One row per token, or one for the text. */
  readonly answers?: "pieces" | "text" | "doubles" | "nothing";
}

export class Tensor {
  readonly type: string;
  readonly data: unknown;
  readonly dims: readonly number[];

  constructor(type: string, data: unknown, dims: readonly number[]) {
    this.type = type;
    this.data = data;
    this.dims = dims;
  }
}

/** The number of tokens of each text, including padding, for all sessions in this process. */
export const ran: number[] = [];

export const InferenceSession = {
  create(bytes: Uint8Array) {
    const model: StandInModel = JSON.parse(Buffer.from(bytes).toString("utf8"));
    const { inputs = ["input_ids", "attention_mask", "token_type_ids"], output = "last_hidden_state" } = model;
    const { width = 32, answers = "pieces" } = model;
    return Promise.resolve({
      inputNames: inputs,
      outputNames: [output],
      run(feeds: Readonly<Record<string, { readonly data: BigInt64Array; readonly dims: readonly number[] }>>) {
        const { data: sent, dims } = feeds["input_ids"];
        const ids = [...sent].map(Number);
        const [texts, tokens] = dims;
        for (let text = 0; text < texts; text++) ran.push(tokens);
        const data = Float32Array.from(ids.flatMap((id) => vectorOf(id, width)));
        const first = Float32Array.from(
          Array.from({ length: texts }, (_, text) => vectorOf(ids[text * tokens], width)).flat(),
        );
        const tensors = {
          pieces: new Tensor("float32", data, [texts, tokens, width]),
          text: new Tensor("float32", first, [texts, width]),
          doubles: new Tensor("float64", Float64Array.from(first), [texts, width]),
          nothing: new Tensor(
            "float32",
            first.map(() => Number.NaN),
            [texts, width],
          ),
        };
        return Promise.resolve({ [output]: tensors[answers] });
      },
      release: () => Promise.resolve(),
    });
  },
};

function vectorOf(id: number, width: number): number[] {
  const random = xorshift(id + 1);
  return Array.from({ length: width }, () => random() - 0.5);
}
