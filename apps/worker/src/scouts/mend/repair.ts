/** A repair that needs no judgment, and its inputs. */
import type { LockTool } from "./lock-tool.ts";
import type { Tree } from "../reading/tree.ts";

export interface Edit {
  readonly path: string;
  readonly text: string;
}

export interface Repair {
  readonly summary: string;
  readonly edits: readonly Edit[];
  /** Writes the lock file after the edits; null if the edits suffice. */
  readonly lockTool: LockTool | null;
  /** The lock file, in whose folder the tool runs; default: the root. */
  readonly lockPath?: string | null;
  /** How lock files get exactly the required versions; null if the newest version of each range is fine. */
  readonly pins?: Pins | null;
}

export interface Pins {
  /** Manifests with exact versions, for a first pass of the lock tool. */
  readonly edits: readonly Edit[];
  readonly lockPath: string;
  readonly ranges: readonly { readonly name: string; readonly version: string; readonly range: string }[];
  /** Minimum age of versions that are new in the lock file, if the tool supports it. */
  readonly minAgeDays: number;
}

export interface RepairContext {
  readonly tree: Tree;
  readonly year: number;
}
