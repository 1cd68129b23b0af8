/**
 * Base model of custom heads, chosen at startup: the bundled trunk, or a sentence encoder supplied by the operator.
 * Heads trained on another base model get `trunk_mismatch`. All other models use the bundled trunk.
 */
import { resolve } from "node:path";
import {
  EncoderError,
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
  /** Hex SHA-256, stored in heads. */
  readonly sha256: string;
  /** Throws an ArtifactError if the file is damaged or has another base model. */
  open(bytes: Uint8Array): RouteHead;
  cardOf(bytes: Uint8Array): string;
  /** Describes what a training thread loads. */
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
  /** Module that runs the model; defaults to onnxruntime-node. */
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

export function encoderFolder(setting: string | undefined): string | null {
  return setting === undefined ? null : resolve(setting.slice(ENCODER.length));
}

export function openEncoder(folder: string): Promise<SentenceEncoder> {
  return ofSetting(() => openSentenceEncoder(folder));
}

export function identityOfEncoder(folder: string): Promise<string> {
  return ofSetting(() => sentenceEncoderIdentity(folder));
}

async function ofSetting<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof EncoderError) throw new Error(`ROUTER_TRUNK: ${error.message}`, { cause: error });
    throw error;
  }
}
