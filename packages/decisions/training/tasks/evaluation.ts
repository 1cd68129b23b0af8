/** What a task of the evaluation is given: the data, the tests, the trunks, and where its rows go. */
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
  /** The finished build, which judges test splits of what is trained once and shipped. */
  readonly shipped: ShippedArtifacts;
  /** The trunk that is judged: the shipped one, or that of --trunks. */
  readonly trunk: Trunk;
  /** Where trunks without one data set are looked for. */
  readonly trunks: string;
  readonly quick: boolean;
  /** Of trainings; the first is the one that the shipped heads have. */
  readonly seeds: readonly number[];
  /** The words of --only, or null for everything. */
  readonly only: readonly string[] | null;
  /** Prints rows of a table of the report and keeps them. */
  table(name: string, columns: readonly Column[]): (row: Row) => void;
  /** Runs a part of the evaluation whose failure must not take the others with it. */
  attempt(what: string, run: () => void): void;
  /** A result that fails the run, and lets it go on. */
  fail(what: string, why: string): void;
  /** What a long evaluation says on its way. */
  say(message: string): void;
  /** Rows of a test split; where it is absent that is told, and `note` may print it. */
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

/** The trunk without the set where there is one; else the one that is shipped, which has read the set's train split. */
export function trunkWithout({ trunks, trunk, say }: Evaluation, set: IntentSet): JudgedTrunk {
  const file = `${trunks}/without-${set}.tptk`;
  if (existsSync(file)) return { trunk: loadTrunk(readFileSync(file)), seen: "unseen" };
  say(
    `${file} is absent, ${set} is judged on a trunk that has seen it: npm run train:trunk -- --without ${set} --out ${file}`,
  );
  return { trunk, seen: "seen" };
}
