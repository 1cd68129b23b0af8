/** Orders of small heads, trained within a second. */
import { TOPICS } from "../../../../packages/decisions/test/support/small-trunk.ts";

const GREETINGS = ["hello", "please"];

export function headOrder(more: Readonly<Record<string, unknown>> = {}) {
  const routes = Object.entries(TOPICS).map(([route, texts]) => ({
    route,
    description: `Everything about ${route}`,
    phrasings: texts.map((text) => `{greeting} ${text}`),
  }));
  return { name: "acme", routes, slots: { greeting: GREETINGS }, ...more };
}
