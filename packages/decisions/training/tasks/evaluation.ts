/** What a task of the evaluation is given: the data, the folder of trunks, and whether it should be short. */
import { existsSync, readFileSync } from "node:fs";
import { openTrunk, type Trunk } from "../../src/trunk/trunk.ts";
import type { DataFolder } from "../data-folder.ts";

export interface Evaluation {
  readonly data: DataFolder;
  readonly trunks: string;
  readonly quick: boolean;
  /** The words of --only, or null for everything. */
  readonly only: readonly string[] | null;
}

export function isWanted({ only }: Evaluation, task: string): boolean {
  return only === null || only.includes(task);
}

/** Null, and a sentence on standard error, where it is absent. */
export function readTrunk({ trunks }: Evaluation, name: string, remedy: string): Trunk | null {
  const file = `${trunks}/${name}.tptk`;
  if (existsSync(file)) return openTrunk(readFileSync(file));
  process.stderr.write(`${file} is absent: ${remedy}\n`);
  return null;
}
