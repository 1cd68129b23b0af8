/**
 * What the commands and agents of one run are shut in. Everything of a repository that is started passes here; the worker's own git
 * does not.
 */
import type { IsolationLevel } from "@triptych/contracts";
import { runProcess, type ProcessEnd, type ProcessOrder } from "../process/run-process.ts";

/** What is started decides what it may reach: `agent` writes the tree, `reader` (planner, reviewer, scout) does not. */
export type Purpose = "setup" | "check" | "agent" | "reader";

/** Begins a process and resolves when it, and everything it started, is gone. */
export type Launch = (order: ProcessOrder) => Promise<ProcessEnd>;

export interface Enclosure extends AsyncDisposable {
  readonly level: IsolationLevel;
  launcher(purpose: Purpose): Launch;
}

export interface EnclosedPlace {
  readonly tree: string;
  /** The repository folder: never to be written from inside. */
  readonly gitFolder: string;
  /** Home, temporary folder and notes of this run alone. */
  readonly home: string;
  readonly temporary: string;
  readonly notes: string;
}

export type OpenEnclosure = (place: EnclosedPlace) => Promise<Enclosure>;

/** A folder and an environment of its own, and nothing that the kernel holds. */
export async function openWorktree(): Promise<Enclosure> {
  return {
    level: "worktree",
    launcher: () => runProcess,
    async [Symbol.asyncDispose]() {},
  };
}
