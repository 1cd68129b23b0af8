/** Training requests for small heads that take less than a second. */
import { TOPICS } from "../../../../packages/decisions/test/support/small-trunk.ts";

const GREETINGS = ["hello", "please"];

export function trainingRequest(more: Readonly<Record<string, unknown>> = {}) {
  const routes = Object.entries(TOPICS).map(([route, texts]) => ({
    route,
    description: `Everything about ${route}`,
    phrasings: texts.map((text) => `{greeting} ${text}`),
  }));
  return { name: "acme", routes, slots: { greeting: GREETINGS }, ...more };
}

const THINGS = "apple river stone cloud table tiger piano glass bread train lemon field north paper wheel candle".split(
  " ",
);
const VERBS = ["need", "show", "where is", "want", "buy"];

/** That many routes with five texts each. */
export function wideTrainingRequest(count: number) {
  const routes = Array.from({ length: count }, (_, index) => {
    const thing = `${THINGS[index % 16]} of ${THINGS[Math.floor(index / 16)]}, number ${index}`;
    return { route: `route ${index}`, phrasings: VERBS.map((verb) => `${verb} the ${thing}`) };
  });
  return { name: "wide", routes };
}
