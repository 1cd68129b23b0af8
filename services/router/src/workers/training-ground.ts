/** What a training thread trains heads on: opened once in the thread, since neither a trunk nor a runtime goes from thread to thread. */
import { encodedAhead, openSentenceEncoder, openTrunk, type HeadTrunk } from "@triptych/decisions";
import type { TrainingGround } from "./training-calls.ts";

export interface OpenTrainingGround {
  readonly sha256: string;
  /** A trunk for these texts. */
  trunkFor(texts: readonly { readonly text: string; readonly context?: string }[]): HeadTrunk | Promise<HeadTrunk>;
}

export async function openTrainingGround(ground: TrainingGround): Promise<OpenTrainingGround> {
  if (ground.kind === "trunk") {
    const trunk = openTrunk(ground.bytes);
    return { sha256: trunk.sha256, trunkFor: () => trunk };
  }
  const encoder = await openSentenceEncoder(ground.folder, ground.runtime);
  // Files that were replaced since the start would make heads that this process cannot ask.
  if (encoder.sha256 !== ground.sha256)
    throw new Error("The files of the sentence encoder have changed since the start.");
  return { sha256: encoder.sha256, trunkFor: (texts) => encodedAhead(encoder, texts) };
}
