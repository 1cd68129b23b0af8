import type { HeadLesson } from "../domain/heads/training-request.ts";
import type { Recalibrated, RecalibrationJob, TrainedFile } from "../domain/heads/trainer.ts";
import type { NativeGate } from "./native-call-lock.ts";

export type TrainingCall =
  | { readonly kind: "train"; readonly lesson: HeadLesson }
  | { readonly kind: "recalibrate"; readonly job: RecalibrationJob };

export type TrainingAnswer =
  | { readonly kind: "trained"; readonly file: TrainedFile }
  | { readonly kind: "recalibrated"; readonly outcome: Recalibrated }
  /** Only stack frames, because the error message may contain user texts. */
  | { readonly kind: "failed"; readonly error: string; readonly frames: string };

export type TrainingEnv =
  | { readonly kind: "trunk"; readonly bytes: Uint8Array }
  | { readonly kind: "encoder"; readonly sha256: string; readonly folder: string; readonly runtime?: string };

export interface TrainingThreadData {
  readonly env: TrainingEnv;
  readonly gate: NativeGate;
}
