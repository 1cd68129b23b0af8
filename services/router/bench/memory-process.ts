/** Prints the resident memory that a loaded engine adds, before and after many texts. Needs --expose-gc. */
import { loadBundledModels } from "@triptych/decisions";
import { generateTexts } from "../../../packages/decisions/bench/texts.ts";

const texts = generateTexts(10_000, 60);
const bare = resident();
const { trunk, experts } = loadBundledModels();
const opened = resident() - bare;
for (const text of texts) for (const expert of experts.values()) expert.decide(trunk.encode(text));
process.stdout.write(JSON.stringify({ opened, used: resident() - bare }));

function resident(): number {
  globalThis.gc?.();
  return process.memoryUsage.rss();
}
