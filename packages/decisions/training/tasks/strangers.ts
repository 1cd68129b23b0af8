/** Out-of-scope texts of the development folds, and samples of them. */
import { hashText } from "../../src/text/rows.ts";
import type { DataFolder } from "../data-folder.ts";
import type { IntentHeads } from "../intent-heads.ts";
import type { Labelled } from "../labelled-rows.ts";
import type { IntentSet } from "../trunk-sources.ts";

/** 40 % of all judged texts. */
export const OUTSIDE_PER_INSIDE = 2 / 3;
const SAMPLE_SEED = 0x510e527f;
const LABELLED = { texts: ["text"], labels: ["label"] } as const;

/** CLINC150 contains banking and everyday requests, so only its own out-of-scope texts are foreign to it. */
export function strangersTo(
  set: IntentSet,
  { heads, data }: { readonly heads: IntentHeads; readonly data: DataFolder },
): readonly Labelled[] {
  if (set === "HWU64") return heads.rows("BANKING77").valid;
  const own = heads.rows("CLINC150").outsideValid;
  if (set === "CLINC150") return [...own, ...data.rows("oos/CLINC150/train.jsonl", "evaluation", LABELLED)];
  return [...own, ...heads.rows("HWU64").valid];
}

/** The sample does not depend on the order of the rows. */
export function sample(rows: readonly Labelled[], count: number): readonly Labelled[] {
  return rows
    .map((row) => ({ row, hash: hashText(row.text, SAMPLE_SEED) }))
    .toSorted((a, b) => a.hash - b.hash)
    .slice(0, count)
    .map(({ row }) => row);
}
