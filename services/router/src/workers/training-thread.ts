/** Worker thread that trains heads one by one. Its base model is loaded once. */
import { parentPort, workerData } from "node:worker_threads";
import { recalibrateHead, textsOfTraining, trainHead } from "@triptych/decisions";
import type { HeadLesson } from "../domain/heads/training-request.ts";
import type { Recalibrated, RecalibrationJob, TrainedFile } from "../domain/heads/trainer.ts";
import { factsOf, withSettings } from "../engine/head-facts.ts";
import type { TrainingAnswer, TrainingCall, TrainingThreadData } from "./training-calls.ts";
import { loadTrainingEnv } from "./training-env.ts";

if (parentPort === null) throw new Error("This file must run as a worker thread of the router.");

const port = parentPort;
// `workerData` comes from the pool. Do not use top-level await: V8 aborts the process if a thread is terminated during
// it.
const env = loadTrainingEnv(workerData as TrainingThreadData);

// The pool sends the next call after the previous result, so calls never overlap.
port.on("message", (call: TrainingCall) => void answer(call).then((answered) => port.postMessage(answered)));

async function answer(call: TrainingCall): Promise<TrainingAnswer> {
  try {
    return call.kind === "train"
      ? { kind: "trained", file: await train(call.lesson) }
      : { kind: "recalibrated", outcome: await recalibrate(call.job) };
  } catch (error) {
    return { kind: "failed", ...whereOf(error) };
  }
}

async function train(lesson: HeadLesson): Promise<TrainedFile> {
  const began = performance.now();
  const { settings, ...input } = lesson;
  const { background, trunkFor } = await env;
  const trunk = await trunkFor([...textsOfTraining(input), ...background]);
  const trained = trainHead(trunk, { ...input, background, alpha: settings.alpha });
  const bytes = withSettings(trained.bytes, trunk.sha256, settings);
  const { made } = factsOf(bytes, trunk.sha256);
  return { bytes, made, rejected: trained.rejected, ms: Math.round(performance.now() - began) };
}

async function recalibrate({ bytes, rows }: RecalibrationJob): Promise<Recalibrated> {
  const trunk = await (await env).trunkFor(rows);
  const { bytes: refitted, ...figures } = recalibrateHead(bytes, trunk, rows);
  return {
    ...figures,
    file: refitted === null ? null : { bytes: refitted, made: factsOf(refitted, trunk.sha256).made },
  };
}

function whereOf(error: unknown) {
  if (!(error instanceof Error)) return { error: "unknown", frames: "" };
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return { error: error.name, frames: frames.join("\n") };
}
