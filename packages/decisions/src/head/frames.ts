/**
 * Further training texts for routes with very few: the same texts in generic frames, which say nothing about the
 * route. Two texts share few words, so without frames the words that they do not share weigh too much. Frames are
 * trained on, but never evaluated or calibrated on.
 */
import type { PreparedExample } from "./examples.ts";

/** Routes with fewer texts get frames. */
const TEXTS_ENOUGH = 5;
const FRAMES: readonly ((text: string) => string)[] = [
  (text) => `please ${text}`,
  (text) => `hi, ${text}`,
  (text) => `can you tell me ${text}`,
];

export interface FramedExample extends PreparedExample {
  /** Index of the example that it was made from, which is in the same fold. */
  readonly source: number;
}

export function framedExamples(prepared: readonly PreparedExample[], classes: number): FramedExample[] {
  const texts = new Uint32Array(classes);
  for (const { route } of prepared) if (route >= 0) texts[route]++;
  return prepared.flatMap((example, source) =>
    example.route < 0 || texts[example.route] >= TEXTS_ENOUGH
      ? []
      : FRAMES.map((frame) => ({ ...example, text: frame(example.text), source })),
  );
}
