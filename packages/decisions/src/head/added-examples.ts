/**
 * Adds training texts to routes that have few. Models are trained on them, but never evaluated or calibrated on them.
 *
 * - The name of the route: with five texts a route, BANKING77 is six points more accurate. Meaningless names do no
 * harm. The description only with very few texts, because descriptions often share most of their words.
 * - The texts themselves in generic frames, which say nothing about the route. Two texts share few words, so without
 *   frames the words that they do not share weigh too much.
 */
import type { PreparedExample } from "./examples.ts";

/** Routes with fewer texts get their name as a text. */
const TEXTS_WITHOUT_NAME = 20;
/** Routes with fewer texts also get their description, and their texts in frames. */
const FEWEST_TEXTS = 5;
const FRAMES: readonly ((text: string) => string)[] = [
  (text) => `please ${text}`,
  (text) => `hi, ${text}`,
  (text) => `can you tell me ${text}`,
];

export interface AddedExample extends PreparedExample {
  /** Index of the example that it was made from, so that both are in the same fold; null if every fold trains on it. */
  readonly source: number | null;
}

export interface DescribedRoute {
  readonly route: string;
  readonly description?: string;
}

/** `prepared` refers to `routes` by index. */
export function addedExamples(
  prepared: readonly PreparedExample[],
  routes: readonly DescribedRoute[],
): readonly AddedExample[] {
  const texts = new Uint32Array(routes.length);
  for (const { route } of prepared) if (route >= 0) texts[route]++;
  const described = routes.flatMap(({ route: name, description = "" }, route) =>
    [
      ...(texts[route] < TEXTS_WITHOUT_NAME ? [name.replaceAll(/[._-]/g, " ")] : []),
      ...(texts[route] < FEWEST_TEXTS && description !== "" ? [description] : []),
    ].map((text) => ({ text, context: "", route, group: "", lang: null, source: null })),
  );
  const framed = [...prepared.map((example, source) => ({ ...example, source })), ...described].flatMap((example) =>
    example.route < 0 || texts[example.route] >= FEWEST_TEXTS
      ? []
      : FRAMES.map((frame) => ({ ...example, text: frame(example.text) })),
  );
  return [...described, ...framed];
}
