/** The protocol of a peer: one JSON request on stdin, one JSON response on stdout. */
import { json } from "node:stream/consumers";

export interface LabelledText {
  readonly text: string;
  readonly label: string;
}

export interface PeerRequest {
  readonly language: string;
  readonly train: readonly LabelledText[];
  readonly texts: readonly string[];
}

export interface PeerAnswer {
  readonly label: string;
  /** Orders answers by certainty. */
  readonly score: number;
  /** A probability; null if the peer has none. */
  readonly confidence: number | null;
}

export interface PeerResponse {
  /** Wall time of the training, choice of settings included. */
  readonly seconds: number;
  readonly microsecondsPerDecision: number;
  readonly answers: readonly PeerAnswer[];
}

export type Decide = (text: string) => PeerAnswer | Promise<PeerAnswer>;

/** Decisions are timed in a second pass, after the first one has warmed up the code. */
export async function answerRequest(train: (request: PeerRequest) => Decide | Promise<Decide>): Promise<void> {
  // The request comes from the evaluation task that started this process.
  const request: PeerRequest = JSON.parse(JSON.stringify(await json(process.stdin)));
  const started = performance.now();
  const decide = await train(request);
  const seconds = (performance.now() - started) / 1000;
  const answers: PeerAnswer[] = [];
  for (const text of request.texts) answers.push(await decide(text));
  const before = performance.now();
  for (const text of request.texts) await decide(text);
  const microsecondsPerDecision = ((performance.now() - before) * 1000) / request.texts.length;
  const response: PeerResponse = { seconds, microsecondsPerDecision, answers };
  process.stdout.write(JSON.stringify(response));
}
