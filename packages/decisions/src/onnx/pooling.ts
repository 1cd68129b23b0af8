/**
 * How token vectors become the vector of a text: as the sentence-transformers files of the model say, or by their mean
 * if there are none.
 */
import { EncoderError, memberOf } from "./optional-module.ts";

export type Pooling = "mean" | "cls" | "max";

const FLAGS: Readonly<Record<string, Pooling>> = {
  pooling_mode_mean_tokens: "mean",
  pooling_mode_cls_token: "cls",
  pooling_mode_max_tokens: "max",
};
/** The result always has length 1, so a model without a Normalize module needs no other treatment. */
const SUPPORTED_MODULES = ["Transformer", "Pooling", "Normalize"];

export interface PoolingFiles {
  /** `1_Pooling/config.json`; null if absent. */
  readonly pooling: string | null;
  /** `modules.json`; null if absent. */
  readonly modules: string | null;
}

/** Throws an EncoderError for a model that computes anything else. */
export function readPooling({ pooling, modules }: PoolingFiles): Pooling {
  const others = moduleNames(modules).filter((name) => !SUPPORTED_MODULES.includes(name));
  if (others.length > 0)
    throw new EncoderError(
      `The sentence encoder has the module ${others.join(", ")}; only ${SUPPORTED_MODULES.join(", ")} are supported.`,
    );
  if (pooling === null) return "mean";
  const config = parsed(pooling, "1_Pooling/config.json");
  const names = typeof config === "object" && config !== null ? Object.entries(config) : [];
  const active = names
    .filter(([name, value]) => name.startsWith("pooling_mode_") && value === true)
    .map(([name]) => name);
  const [mode] = active;
  if (active.length !== 1 || !Object.hasOwn(FLAGS, mode))
    throw new EncoderError(
      `The pooling of the sentence encoder is ${active.join(", ") || "not set"}; only mean, cls or max are supported, one of them.`,
    );
  return FLAGS[mode];
}

function moduleNames(text: string | null): readonly string[] {
  const list = text === null ? [] : parsed(text, "modules.json");
  if (!Array.isArray(list)) throw new EncoderError("The modules.json of the sentence encoder is not a list.");
  return list.map((module) => String(memberOf(module, "type")).split(".").at(-1) ?? "");
}

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new EncoderError(`The ${name} of the sentence encoder is not valid JSON.`, { cause: error });
  }
}

interface TokenVectors {
  /** The rows of this text, including padding. */
  readonly data: Float32Array;
  readonly width: number;
  /** Number of rows without padding. */
  readonly tokens: number;
}

/** Returns a vector whose width is a multiple of four, as the loops of heads require. */
export function pool({ data, width, tokens }: TokenVectors, pooling: Pooling): Float64Array {
  const pooled = new Float64Array(Math.ceil(width / 4) * 4);
  const rows = pooling === "cls" ? 1 : tokens;
  for (let d = 0; d < width; d++) {
    let value = pooling === "max" ? -Infinity : 0;
    for (let row = 0; row < rows; row++) {
      const next = data[row * width + d];
      value = pooling === "max" ? Math.max(value, next) : value + next;
    }
    pooled[d] = pooling === "mean" ? value / rows : value;
  }
  return pooled;
}
