/** The part of `onnxruntime-node` that is used. The package is an optional dependency. */
import { EncoderError, importOptional, memberOf } from "./optional-module.ts";

export interface OnnxTensor {
  readonly dims: readonly number[];
  readonly data: unknown;
}

export interface OnnxSession {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  run(feeds: Readonly<Record<string, OnnxTensor>>): Promise<Readonly<Record<string, OnnxTensor>>>;
  release(): Promise<void>;
}

export interface OnnxRuntime {
  readonly InferenceSession: {
    create(model: Uint8Array, options: Readonly<Record<string, unknown>>): Promise<OnnxSession>;
  };
  readonly Tensor: new (type: "int64", data: BigInt64Array, dims: readonly number[]) => OnnxTensor;
}

export const ONNX_RUNTIME = "onnxruntime-node";
const INSTALL = "ONNXRUNTIME_NODE_INSTALL=skip npm i onnxruntime-node";
const LEAST_VERSION = [1, 30] as const;

export async function loadOnnxRuntime(name: string): Promise<OnnxRuntime> {
  const found = exportsOf(await importOptional({ label: ONNX_RUNTIME, name, install: INSTALL }));
  const version = versionOf(found);
  if (!isRuntime(found) || (version !== null && isOlder(version)))
    throw new EncoderError(
      `A sentence encoder requires onnxruntime-node ${LEAST_VERSION.join(".")} or newer, but ${version ?? "something else"} is installed. Install it: ${INSTALL}`,
    );
  return found;
}

function exportsOf(module: unknown): unknown {
  const inner = memberOf(module, "default");
  return isRuntime(inner) ? inner : module;
}

function isRuntime(value: unknown): value is OnnxRuntime {
  return (
    typeof memberOf(memberOf(value, "InferenceSession"), "create") === "function" &&
    typeof memberOf(value, "Tensor") === "function"
  );
}

function versionOf(runtime: unknown): string | null {
  const version = memberOf(memberOf(memberOf(runtime, "env"), "versions"), "node");
  return typeof version === "string" ? version : null;
}

function isOlder(version: string): boolean {
  const [major, minor] = version.split(".").map(Number);
  return major < LEAST_VERSION[0] || (major === LEAST_VERSION[0] && minor < LEAST_VERSION[1]);
}
