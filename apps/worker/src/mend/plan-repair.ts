/**
 * Repairs that need no judgement: one table from what a gate asks for to what makes it green. Where more than one thing could be meant,
 * there is no repair, and a person or an agent decides.
 */
import { readGateLine } from "../gate-command/gate-words.ts";
import type { Tree } from "../scouts/reading/tree.ts";
import { mendDependency } from "./mend-dependency.ts";
import { mendLink } from "./mend-link.ts";
import { writeLicence } from "./write-licence.ts";
import { writeReadme } from "./write-readme.ts";

export interface Repair {
  readonly says: string;
  readonly edits: readonly { readonly path: string; readonly text: string }[];
  /** A program that brings the rest after the edits, from that registry of npm packages; null where the edits are all. */
  readonly command: ((registry: string) => readonly string[]) | null;
}

export interface RepairGround {
  readonly tree: Tree;
  /** Of the day on which it is repaired. */
  readonly year: number;
}

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
