/**
 * Training data for complexity: the number of calculations in a worked solution (GSM8K), and of calls for a request
 * (BFCL). Solutions without marked calculations are skipped.
 */
import type { Trunk } from "../src/trunk/trunk.ts";
import type { ScoreRow } from "../src/features/train-features.ts";
import { CHOICE_FILES } from "./choice-rows.ts";
import type { DataFolder } from "./data-folder.ts";

export interface SourcedScoreRow extends ScoreRow {
  readonly source: "steps" | "one call" | "choice" | "several turns";
}

/**
 * The weight of requests with one call or a choice of functions. A third suffices to identify them, and more would
 * distort the slopes of the problems. The few multi-turn requests count fully.
 */
const COUNT_OF_EASY = 0.3;

export interface StepsRow {
  readonly text: string;
  readonly steps: number;
}

const TEXT = { texts: ["text"] } as const;

export function readScoreRows(data: DataFolder, trunk: Trunk): readonly SourcedScoreRow[] {
  const steps = data
    .typed("complexity/gsm8k_train.jsonl", "signals", isStepsRow)
    .filter((row) => row.steps > 0)
    .map(({ text, steps }) => rowOf(text, { source: "steps", complexity: gradeOf(steps) }));
  const single = ["gate/bfcl_simple.jsonl", "gate/bfcl_live_simple.jsonl"].flatMap((file) =>
    data
      .rows(file, "signals", TEXT)
      .map(({ text }) => rowOf(text, { source: "one call", complexity: 1, count: COUNT_OF_EASY })),
  );
  const choice = CHOICE_FILES.flatMap((file) =>
    data
      .rows(file, "signals", TEXT)
      .map(({ text }) => rowOf(text, { source: "choice", complexity: 2, count: COUNT_OF_EASY })),
  );
  const turns = data
    .rows("gate/multi_turn_base_dev.jsonl", "signals", { texts: ["text"], lists: ["calls"] })
    .filter(({ calls }) => calls.length > 1)
    .map(({ text }) => rowOf(text, { source: "several turns", complexity: 3 }));
  return [...steps, ...single, ...choice, ...turns];

  function rowOf(state: string, fields: Pick<SourcedScoreRow, "source" | "complexity" | "count">): SourcedScoreRow {
    return { state, encoding: trunk.encode(state), ...fields };
  }
}

/** The grades as in the README of the data: up to two steps, three, four or five, and more. */
export function gradeOf(steps: number): number {
  if (steps <= 2) return 1;
  if (steps === 3) return 2;
  return steps <= 5 ? 3 : 4;
}

export function isStepsRow(row: unknown): row is StepsRow {
  return (
    typeof row === "object" &&
    row !== null &&
    typeof Reflect.get(row, "text") === "string" &&
    typeof Reflect.get(row, "steps") === "number"
  );
}
