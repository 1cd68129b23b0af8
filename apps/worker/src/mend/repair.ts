/** What makes a gate green without judgement, and what it is found from. */
import type { Tree } from "../scouts/reading/tree.ts";

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
