/** What makes a gate green without judgement, and what it is found from. */
import type { LockTool } from "./lock-tool.ts";
import type { Tree } from "../scouts/reading/tree.ts";

export interface Repair {
  readonly says: string;
  readonly edits: readonly { readonly path: string; readonly text: string }[];
  /** What writes the lock file after the edits; null where the edits are all. */
  readonly lockTool: LockTool | null;
}

export interface RepairContext {
  readonly tree: Tree;
  /** Of the day on which it is repaired. */
  readonly year: number;
}
