/** A thread that answers shares of calls with many questions, one after the other. */
import { parentPort, workerData } from "node:worker_threads";
import { log, openOptionsScorer, openTrunk, thresholdFor } from "@triptych/decisions";
import { answerShare, type Share } from "../domain/compat/answer-all.ts";
import { createThresholds } from "../domain/thresholds.ts";
import type { QuestionThreadData, ShareAnswer, ThreadStanding } from "./question-calls.ts";

if (parentPort === null) throw new Error("This file runs as a thread of the router.");

const port = parentPort;
// Whoever started the thread has put its data there.
const data = workerData as QuestionThreadData;
const trunk = openTrunk(data.trunk);
const options = openOptionsScorer(data.options, trunk);
const engine = { encode: trunk.encode, options, log };
const thresholds = createThresholds(thresholdFor);

port.on("message", (share: Share) => port.postMessage(answer(share)));
port.postMessage({ trunk: trunk.sha256, options: options.sha256 } satisfies ThreadStanding);

function answer(share: Share): ShareAnswer {
  try {
    return answerShare({ engine, thresholds }, share);
  } catch {
    return null;
  }
}
