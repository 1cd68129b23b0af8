import type { HeadMade, HeadSettings } from "./head.ts";
import type { HeadLesson } from "./training-request.ts";

export interface TrainedFile {
  readonly bytes: Uint8Array;
  readonly made: HeadMade;
  readonly rejected: "ece" | "no_signal" | null;
  readonly ms: number;
}

export interface RecalibrationJob {
  readonly bytes: Uint8Array;
  readonly rows: readonly { readonly text: string; readonly context: string; readonly route: string | null }[];
}

export interface Recalibrated extends Compared {
  /** Null when the current calibration is better. */
  readonly file: Omit<TrainedFile, "rejected" | "ms"> | null;
  readonly rows: number;
}

/** Both calibrations on the same rows. */
interface Compared {
  readonly nll: { readonly before: number; readonly after: number };
  readonly ece: { readonly before: number; readonly after: number };
}

/** Result: `isApplied`, and the head's current revision. With too few rows, there is no comparison. */
export interface Recalibration extends Partial<Compared> {
  readonly isApplied: boolean;
  readonly revision: number;
  readonly rows: number;
}

export interface Trainer {
  /** Reserves a slot in the training queue; null if the queue is full. */
  reserve(): TrainerSlot | null;
}

/** A slot for one training. `release` is idempotent, also after use. */
export interface TrainerSlot {
  train(lesson: HeadLesson): Promise<TrainedFile>;
  recalibrate(job: RecalibrationJob): Promise<Recalibrated>;
  release(): void;
}

export interface OpenedFile {
  readonly name: string;
  readonly made: HeadMade;
  readonly settings: HeadSettings;
  readonly rejected: TrainedFile["rejected"];
}
