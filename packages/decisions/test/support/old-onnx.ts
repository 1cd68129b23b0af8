/** A runtime of the version before the oldest that is taken. */
export { InferenceSession, Tensor } from "./stand-in-onnx.ts";

export const env = { versions: { node: "1.29.0" } };
