/** The results of the shipped models for a text, with enough doubles to reveal any change of the engine. */
import type { Json } from "../src/artifact/header-values.ts";
import type { Artifacts } from "../src/bundled-models.ts";

export interface GoldenAnswer {
  readonly text: string;
  readonly answer: Json;
}

/** The expert whose routes serve as described options. */
const DESCRIBED = "tools";

export function goldenAnswer({ trunk, experts, noul, score, domain, options }: Artifacts, text: string): Json {
  const encoding = trunk.encode(text);
  const decided = [...experts].map(([name, head]) => {
    const { choice, confidence, margin, scope, probabilities, set } = head.decide(encoding);
    return [
      name,
      { route: head.routes[choice].route, confidence, margin, scope, first: probabilities[0], set: set.length },
    ] as const;
  });
  const described = experts.get(DESCRIBED);
  const tools = described?.decide(encoding);
  if (described === undefined || tools === undefined) throw new Error(`Expert "${DESCRIBED}" not found.`);
  const entries = described.routes.map(({ route: label, description }) => ({
    label,
    description,
    parameters: [],
    examples: [],
  }));
  const vocabulary = options.vocabulary(entries);
  const chosen = options.decide(encoding, vocabulary);
  const { complexity, expected } = score.decide({ state: text, encoding });
  const { confidence, margin, scope } = tools;
  return {
    experts: Object.fromEntries(decided),
    p_yes: noul.decide({ state: text, encoding, confidence, margin, scope }).pYes,
    complexity,
    expected,
    domain: domain.decide(encoding).domain,
    option: vocabulary.labels[chosen.choice],
    option_confidence: chosen.confidence,
    fits: chosen.fits,
    tokens: encoding.count,
  };
}
