/** A thread that trains heads, one after the other. The trunk is opened once. */
import { parentPort, workerData } from "node:worker_threads";
import { openTrunk, recalibrateHead, trainHead } from "@triptych/decisions";
import type { HeadLesson } from "../domain/heads/head-order.ts";
import type { Recalibrated, RecalibrationJob, TrainedFile } from "../domain/heads/trainer.ts";
import { factsOf, withSettings } from "../engine/head-facts.ts";
import type { TrainingAnswer, TrainingCall, TrainingThreadData } from "./training-calls.ts";

if (parentPort === null) throw new Error("This file runs as a thread of the router.");

const port = parentPort;
const trunk = openTrunk((workerData as TrainingThreadData).trunk);

port.on("message", (call: TrainingCall) => {
  port.postMessage(answer(call));
});

function answer(call: TrainingCall): TrainingAnswer {
  try {
    return call.kind === "train"
      ? { kind: "trained", file: train(call.lesson) }
      : { kind: "recalibrated", outcome: recalibrate(call.job) };
  } catch (error) {
    return { kind: "failed", ...whereOf(error) };
  }
}

function train({ name, routes, examples, settings, plus, seed }: HeadLesson): TrainedFile {
  const began = performance.now();
  const trained = trainHead(trunk, { name, routes, examples, alpha: settings.alpha, plus, seed });
  const bytes = withSettings(trained.bytes, trunk.sha256, settings);
  const { made } = factsOf(bytes, trunk);
  return { bytes, made, rejected: trained.rejected, ms: Math.round(performance.now() - began) };
}

function recalibrate({ bytes, rows }: RecalibrationJob): Recalibrated {
  const { bytes: refitted, ...figures } = recalibrateHead(bytes, trunk, rows);
  return { ...figures, file: refitted === null ? null : { bytes: refitted, made: factsOf(refitted, trunk).made } };
}

function whereOf(error: unknown) {
  if (!(error instanceof Error)) return { error: "unknown", frames: "" };
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return { error: error.name, frames: frames.join("\n") };
}
