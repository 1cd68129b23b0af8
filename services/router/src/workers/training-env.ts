/**
 * Base model of a training thread. It is loaded once per thread, because neither a trunk nor a runtime can be
 * transferred.
 */
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

/** A sentence encoder takes milliseconds per text, so only one in this many background texts is used. */
const ENCODED_ONE_IN = 7;

export async function loadTrainingEnv({ env, gate }: TrainingThreadData): Promise<LoadedTrainingEnv> {
  if (env.kind === "trunk") {
    const trunk = loadTrunk(env.bytes);
    return { background: loadBackground(), trunkFor: async () => trunk };
  }
  const encoder = await withNativeLock(gate, () => openSentenceEncoder(env.folder, env.runtime));
  const { sha256, dims } = encoder;
  // If the files were replaced since startup, this process could not load the trained heads.
  if (sha256 !== env.sha256) throw new Error("The files of the sentence encoder have changed since startup.");
  const encodeBatch: typeof encoder.encodeBatch = (texts) => withNativeLock(gate, () => encoder.encodeBatch(texts));
  return {
    background: loadBackground().filter((_, index) => index % ENCODED_ONE_IN === 0),
    trunkFor: (texts) => encodedAhead({ sha256, dims, encodeBatch }, texts),
  };
}
