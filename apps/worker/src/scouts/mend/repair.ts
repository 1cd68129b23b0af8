/** A repair that needs no judgement, and its inputs. */
import type { LockTool } from "./lock-tool.ts";
import type { Tree } from "../reading/tree.ts";

export interface Repair {
  readonly summary: string;
  readonly edits: readonly { readonly path: string; readonly text: string }[];
  /** Writes the lock file after the edits; null where the edits suffice. */
  readonly lockTool: LockTool | null;
}

export interface RepairContext {
  readonly tree: Tree;
  readonly year: number;
}
