/**
 * What an owner's heads stand on: the shipped trunk, or a sentence encoder that the operator brought. One of them is picked at the start;
 * heads that were trained on another are `trunk_mismatch`. Everything else of the engine stands on the shipped trunk, whichever it is.
 */
import { resolve } from "node:path";
import {
  EncoderFault,
  headCard,
  openEncoderHead,
  loadHead,
  openSentenceEncoder,
  sentenceEncoderIdentity,
  type SentenceEncoder,
  type Trunk,
} from "@triptych/decisions";
import type { RouteHead } from "../domain/engine.ts";
import type { TrainingEnv } from "../workers/training-calls.ts";

export interface BaseModel {
  /** Hex SHA-256, which heads name. */
  readonly sha256: string;
  /** Throws an ArtifactFault where the file is not whole or stands on something else. */
  open(bytes: Uint8Array): RouteHead;
  cardOf(bytes: Uint8Array): string;
  /** What a training thread opens for itself. */
  forTraining(): Promise<TrainingEnv>;
}

export function baseModelFromTrunk(trunk: Trunk, bytesOfTrunk: () => Promise<Uint8Array>): BaseModel {
  const { sha256 } = trunk;
  return {
    sha256,
    open: (bytes) => loadHead(bytes, trunk),
    cardOf: (bytes) => headCard(bytes, sha256),
    forTraining: async () => ({ kind: "trunk", bytes: await bytesOfTrunk() }),
  };
}

export interface CustomEncoder {
  readonly folder: string;
  /** The module that runs the model; onnxruntime-node when absent. */
  readonly runtime?: string;
}

export function baseModelFromEncoder(encoder: Pick<SentenceEncoder, "sha256">, brought: CustomEncoder): BaseModel {
  const { sha256 } = encoder;
  return {
    sha256,
    open: (bytes) => openEncoderHead(bytes, encoder),
    cardOf: (bytes) => headCard(bytes, sha256, "encoder"),
    forTraining: () => Promise.resolve({ kind: "encoder", sha256, ...brought }),
  };
}

const ENCODER = "onnx:";

/** The folder that ROUTER_TRUNK names; null where it is not set. */
export function encoderFolder(setting: string | undefined): string | null {
  return setting === undefined ? null : resolve(setting.slice(ENCODER.length));
}

export function openEncoder(folder: string): Promise<SentenceEncoder> {
  return ofSetting(() => openSentenceEncoder(folder));
}

export function identityOfEncoder(folder: string): Promise<string> {
  return ofSetting(() => sentenceEncoderIdentity(folder));
}

/** Names the variable, so that the sentence can be followed. */
async function ofSetting<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof EncoderFault) throw new Error(`ROUTER_TRUNK: ${error.message}`, { cause: error });
    throw error;
  }
}
