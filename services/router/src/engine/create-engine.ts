/** The decision engine as the domain asks for it: its models have the domain's shapes already, so they are only put together. */
import { log, thresholdFor, type Artifacts, type SentenceEncoder } from "@triptych/decisions";
import type { Encoding, Engine } from "../domain/engine.ts";

type Encode = Engine["encode"];

/** `encoder`: what an owner's heads stand on instead of the trunk; null where they stand on it too. */
export function engineOf(artifacts: Artifacts, encoder: Pick<SentenceEncoder, "encode"> | null): Engine {
  const { trunk, options, noul, score, domain } = artifacts;
  const encode: Encode = (state, context) => trunk.encode(state, context);
  return {
    trunk: trunk.sha256,
    encode,
    encodeFor: encoder === null ? ({ state, context }) => encode(state, context) : encodingBeside(encode, encoder),
    options,
    noul,
    score,
    domain,
    thresholdFor,
    log,
  };
}

/** The encoder takes many times as long as the trunk: it is asked only where one of its heads is. */
function encodingBeside(encode: Encode, encoder: Pick<SentenceEncoder, "encode">): Engine["encodeFor"] {
  return ({ state, context }, headsInPlay) => {
    const encoding = encode(state, context);
    return headsInPlay().some(({ head }) => head.via === "onnx") ? beside(encoding) : encoding;

    async function beside(encoding: Encoding): Promise<Encoding> {
      const { vector, truncated } = await encoder.encode(state, context);
      return { ...encoding, truncated: encoding.truncated || truncated, sentence: vector };
    }
  };
}
