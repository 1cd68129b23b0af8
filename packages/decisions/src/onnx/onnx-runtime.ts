/**
 * The used part of `onnxruntime-node`, an optional dependency: nothing imports it by name, so neither an install nor a
 * start without an encoder depends on it.
 */
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
  const found = exportsOf(await imported(name));
  const version = versionOf(found);
  if (!isRuntime(found) || (version !== null && isOlder(version)))
    throw new EncoderError(
      `A sentence encoder requires onnxruntime-node ${LEAST_VERSION.join(".")} or newer, but ${version ?? "something else"} is installed. Install it: ${INSTALL}`,
    );
  return found;
}

async function imported(name: string): Promise<unknown> {
  try {
    return await import(name);
  } catch (error) {
    if (isAbsent(error, name))
      throw new EncoderError(
        `A sentence encoder requires onnxruntime-node, which is not included in the router. Install it: ${INSTALL}`,
        { cause: error },
      );
    throw new EncoderError(`onnxruntime-node is installed but fails to load: ${firstLine(error)}`, {
      cause: error,
    });
  }
}

/** Its own dependencies may be missing too: that is another error. */
function isAbsent(error: unknown, name: string): boolean {
  const isNotFound = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
  return isNotFound && error.message.includes(`'${name}'`);
}

export function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n")[0];
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

function memberOf(value: unknown, name: string): unknown {
  const hasMembers = (typeof value === "object" && value !== null) || typeof value === "function";
  return hasMembers ? Reflect.get(value, name) : undefined;
}

/** Why a sentence encoder cannot be used: one sentence for the operator with the remedy. */
export class EncoderError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "EncoderError";
  }
}
