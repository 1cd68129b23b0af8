/** What an evaluation task works with: data, tests, trunks and output. */
import { existsSync, readFileSync } from "node:fs";
import type { ShippedArtifacts } from "../../src/bundled-models.ts";
import { loadTrunk, type Trunk } from "../../src/trunk/trunk.ts";
import type { DataFolder } from "../data-folder.ts";
import type { Column, Row } from "../table.ts";
import type { TestFolder } from "../test-folder.ts";
import type { IntentSet } from "../trunk-sources.ts";

export interface Evaluation {
  readonly data: DataFolder;
  readonly tests: TestFolder;
  readonly shipped: ShippedArtifacts;
  readonly trunk: Trunk;
  readonly trunks: string;
  readonly quick: boolean;
  /** Training seeds; the first one is that of the shipped heads. */
  readonly seeds: readonly number[];
  /** Values of --only, or null for everything. */
  readonly only: readonly string[] | null;
  table(name: string, columns: readonly Column[]): (row: Row) => void;
  /** Runs a part that may fail without stopping the others. */
  attempt(what: string, run: () => void): void;
  fail(what: string, why: string): void;
  say(message: string): void;
  /** Returns the rows of a test split. If the split is missing, this is reported, and `note` may print it. */
  test<T extends { readonly text: string }>(
    file: string,
    is: (row: unknown) => row is T,
    note?: () => void,
  ): readonly T[] | null;
}

export const HELD_OUT = "held back";

export function isSelected({ only }: Evaluation, task: string): boolean {
  return only === null || only.includes(task);
}

export interface JudgedTrunk {
  readonly trunk: Trunk;
  /** Whether the trunk was trained without the data set. */
  readonly seen: "unseen" | "seen";
}

/**
 * The trunk that was trained without the set, if available; otherwise the shipped one, which was trained on the train
 * split of the set.
 */
export function trunkWithout({ trunks, trunk, say }: Evaluation, set: IntentSet): JudgedTrunk {
  const file = `${trunks}/without-${set}.tptk`;
  if (existsSync(file)) return { trunk: loadTrunk(readFileSync(file)), seen: "unseen" };
  say(
    `${file} is missing, so ${set} is evaluated on a trunk that was trained on it. Run npm run train:trunk -- --without ${set} --out ${file}`,
  );
  return { trunk, seen: "seen" };
}
