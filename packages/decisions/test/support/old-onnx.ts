/** A runtime older than the minimum version. */
export { InferenceSession, Tensor } from "./stand-in-onnx.ts";

export const env = { versions: { node: "1.29.0" } };
