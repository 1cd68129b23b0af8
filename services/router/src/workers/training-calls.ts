/** What the main thread and a training thread say to each other. */
import type { HeadLesson } from "../domain/heads/training-request.ts";
import type { Recalibrated, RecalibrationJob, TrainedFile } from "../domain/heads/trainer.ts";
import type { NativeGate } from "./native-call-lock.ts";

export type TrainingCall =
  | { readonly kind: "train"; readonly lesson: HeadLesson }
  | { readonly kind: "recalibrate"; readonly job: RecalibrationJob };

export type TrainingAnswer =
  | { readonly kind: "trained"; readonly file: TrainedFile }
  | { readonly kind: "recalibrated"; readonly outcome: Recalibrated }
  /** Where it happened; what the error says may hold somebody's texts. */
  | { readonly kind: "failed"; readonly error: string; readonly frames: string };

export type TrainingEnv =
  | { readonly kind: "trunk"; readonly bytes: Uint8Array }
  /** `sha256`: what the encoder was at the start. */
  | { readonly kind: "encoder"; readonly sha256: string; readonly folder: string; readonly runtime?: string };

export interface TrainingThreadData {
  readonly env: TrainingEnv;
  /** What the thread does in native code goes through it. */
  readonly gate: NativeGate;
}
