/** Creates the domain's engine from the bundled models, which already have matching interfaces. */
import {
  isReadable,
  isZero,
  log,
  readCommandsFor,
  thresholdFor,
  type Artifacts,
  type SentenceEncoder,
} from "@triptych/decisions";
import type { Engine } from "../domain/engine.ts";

type Encode = Engine["encode"];

/** `encoder`: base model of custom heads; null for the trunk. */
export function engineOf(artifacts: Artifacts, encoder: Pick<SentenceEncoder, "encode"> | null): Engine {
  const { trunk, options, noul, score, domain } = artifacts;
  const encode: Encode = (state, context) => trunk.encode(state, context);
  return {
    trunk: trunk.sha256,
    encode,
    encodeFor:
      encoder === null ? async ({ state, context }) => encode(state, context) : encodingBeside(encode, encoder),
    canRead: ({ tokens }) => isReadable(tokens, (word) => !isZero(trunk.word(word))),
    readCommands: readCommandsFor,
    options,
    noul,
    score,
    domain,
    thresholdFor,
    log,
  };
}

/** The encoder is much slower than the trunk, so it runs only if one of its heads may decide. */
function encodingBeside(encode: Encode, encoder: Pick<SentenceEncoder, "encode">): Engine["encodeFor"] {
  return async ({ state, context }, headsInPlay) => {
    const encoding = encode(state, context);
    if (!headsInPlay().some(({ head }) => head.via === "onnx")) return encoding;
    const { vector, truncated } = await encoder.encode(state, context);
    return { ...encoding, truncated: encoding.truncated || truncated, sentence: vector };
  };
}
