/** Whoever trains heads, away from the thread that decides. */
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
  /** Null where the calibration that it has is the better one. */
  readonly file: Omit<TrainedFile, "rejected" | "ms"> | null;
  readonly rows: number;
}

/** The two calibrations, on the same rows. */
interface Compared {
  readonly nll: { readonly before: number; readonly after: number };
  readonly ece: { readonly before: number; readonly after: number };
}

/** What became of it: `isKept`, and the revision that the head has now. Nothing is compared where there are too few rows. */
export interface Recalibration extends Partial<Compared> {
  readonly isApplied: boolean;
  readonly revision: number;
  readonly rows: number;
}

export interface Trainer {
  /** A place among those who are trained or wait for it; null where all are taken. */
  reserve(): TrainerSlot | null;
}

/** Used once. What was used, or is no longer wanted, may be released more than once. */
export interface TrainerSlot {
  /** Rejects when the training fails. */
  train(lesson: HeadLesson): Promise<TrainedFile>;
  recalibrate(job: RecalibrationJob): Promise<Recalibrated>;
  release(): void;
}

/** What a head file says of itself, for heads that come as files. */
export interface OpenedFile {
  readonly name: string;
  readonly made: HeadMade;
  readonly settings: HeadSettings;
  readonly rejected: TrainedFile["rejected"];
}
