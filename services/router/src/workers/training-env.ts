/** Base model of a training thread, loaded once per thread: neither a trunk nor a runtime can be transferred. */
import {
  encodedAhead,
  loadBackground,
  loadTrunk,
  openSentenceEncoder,
  type BackgroundText,
  type HeadTrunk,
} from "@triptych/decisions";
import { withNativeLock } from "./native-call-lock.ts";
import type { TrainingThreadData } from "./training-calls.ts";

export interface LoadedTrainingEnv {
  readonly background: readonly BackgroundText[];
  trunkFor(texts: readonly { readonly text: string; readonly context?: string }[]): Promise<HeadTrunk>;
}

/** A sentence encoder takes milliseconds a text: one in this many background texts is enough. */
const ENCODED_ONE_IN = 7;

export async function loadTrainingEnv({ env, gate }: TrainingThreadData): Promise<LoadedTrainingEnv> {
  if (env.kind === "trunk") {
    const trunk = loadTrunk(env.bytes);
    return { background: loadBackground(), trunkFor: async () => trunk };
  }
  const encoder = await withNativeLock(gate, () => openSentenceEncoder(env.folder, env.runtime));
  const { sha256, dims } = encoder;
  // With files replaced since startup, this process could not load the trained heads.
  if (sha256 !== env.sha256) throw new Error("The files of the sentence encoder changed after the start.");
  const encodeBatch: typeof encoder.encodeBatch = (texts) => withNativeLock(gate, () => encoder.encodeBatch(texts));
  return {
    background: loadBackground().filter((_, index) => index % ENCODED_ONE_IN === 0),
    trunkFor: (texts) => encodedAhead({ sha256, dims, encodeBatch }, texts),
  };
}
