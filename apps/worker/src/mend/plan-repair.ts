/**
 * Repairs that need no judgement: one table from what a gate asks for to what makes it green. Where more than one thing could be meant,
 * there is no repair, and a person or an agent decides.
 */
import { readGateLine } from "../gate-command/gate-registry.ts";
import { mendDependency } from "./mend-dependency.ts";
import { mendLink } from "./mend-link.ts";
import type { Repair, RepairGround } from "./repair.ts";
import { writeLicence } from "./write-licence.ts";
import { writeReadme } from "./write-readme.ts";

type Mender = (words: readonly string[], ground: RepairGround) => Promise<Repair | null>;

const MENDERS: ReadonlyMap<string, Mender> = new Map([
  ["link", mendLink],
  [
    "has",
    ([kind], ground) =>
      kind === "licence" ? writeLicence(ground) : kind === "readme" ? writeReadme(ground) : NO_REPAIR,
  ],
  ["dep-at-least", mendDependency],
]);

const NO_REPAIR = Promise.resolve(null);

/** Null where a machine cannot know what to do. */
export async function planRepair(gate: string, ground: RepairGround): Promise<Repair | null> {
  const [word = "", ...words] = readGateLine(gate) ?? [];
  return (await MENDERS.get(word)?.(words, ground)) ?? null;
}
