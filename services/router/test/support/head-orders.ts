/** Orders of small heads, trained within a second. */
import { TOPICS } from "../../../../packages/decisions/test/support/small-trunk.ts";
import type { Scene } from "./open-scene.ts";

const GREETINGS = ["hi", "hello", "please", "well", "so", "now"];

export function headOrder(more: Readonly<Record<string, unknown>> = {}) {
  const routes = Object.entries(TOPICS).map(([route, texts]) => ({
    route,
    description: `Everything about ${route}`,
    phrasings: texts.map((text) => `{greeting} ${text}`),
  }));
  return { name: "acme", routes, slots: { greeting: GREETINGS }, ...more };
}

export async function trainHeadIn(scene: Scene, more: Readonly<Record<string, unknown>> = {}) {
  const made = await scene.ask("/v1/heads", { body: headOrder(more) });
  if (made.statusCode !== 201) throw new Error(`the head was not made: ${made.body}`);
  return made.json() as {
    readonly id: string;
    readonly sha256: string;
    readonly version: number;
    readonly state: string;
  };
}
