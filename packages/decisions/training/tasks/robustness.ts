/**
 * Measures the loss of accuracy for disturbed texts (mistyped, in capitals, without punctuation, cut in half), compared
 * with the linear classifier. The run fails if permuting the options changes a single bit.
 */
import { choicesOf, mean } from "../../src/evaluate/metrics.ts";
import { shuffle, xorshift } from "../../src/math/xorshift.ts";
import type { Head } from "../../src/head/load-head.ts";
import type { Trunk } from "../../src/trunk/trunk.ts";
import { readChoiceRows } from "../choice-rows.ts";
import { DISTURBANCES, disturbed } from "../perturbed-texts.ts";
import type { IntentHeads } from "../intent-heads.ts";
import { accuracyOf, askHead, majorityOf, rightOf } from "../judge-head.ts";
import type { Labelled } from "../labelled-rows.ts";
import { trainTfidf, type Classifier } from "../linear-baselines.ts";
import { isHeldOut, isJudgedBy, readPhrasings, type Language } from "../phrasings.ts";
import type { Column, Row } from "../table.ts";
import { QUICK_SHOTS } from "./custom-heads.ts";
import { isSelected, type Evaluation } from "./evaluation.ts";

const COLUMNS: readonly Column[] = [
  { key: "task", title: "robustness", width: 20 },
  { key: "change", title: "change", width: 12 },
  { key: "n", title: "n", width: 7 },
  { key: "before", title: "before", width: 8, as: "share" },
  { key: "after", title: "after", width: 8, as: "share" },
  { key: "by", title: "by", width: 8, as: "share" },
  { key: "flips", title: "flips", width: 8 },
  { key: "tfidf_before", title: "tf-idf", width: 8, as: "share" },
  { key: "tfidf_by", title: "by", width: 8, as: "share" },
  { key: "majority", title: "majority", width: 9, as: "share" },
];
const SEED = 0x13198a2e;

export function evaluateRobustness(evaluation: Evaluation, heads: IntentHeads): void {
  if (!isSelected(evaluation, "robustness")) return;
  const print = evaluation.table("robustness", COLUMNS);
  evaluation.attempt("robustness of BANKING77", () => {
    evaluation.say("robustness: BANKING77");
    const shots = evaluation.quick ? QUICK_SHOTS : "train";
    const { trunk, valid } = heads.rows("BANKING77");
    const { head } = heads.head("BANKING77", shots, evaluation.seeds[0]);
    changed(
      { task: `BANKING77 ${shots}`, trunk, head, rows: valid, tfidf: heads.baselines("BANKING77", shots).tfidf },
      print,
    );
  });
  for (const language of ["en", "fr"] as const)
    evaluation.attempt(`robustness of tools ${language}`, () => phrased(evaluation, language, print));
  evaluation.attempt("permutation", () => permuted(evaluation, print));
}

function phrased({ shipped, say }: Evaluation, language: Language, print: (row: Row) => void): void {
  const head = shipped.experts.get("tools");
  if (head === undefined) throw new Error("The release has no expert tools.");
  say(`robustness: tools ${language}`);
  const texts = readPhrasings("tools", language).map((text) => ({ ...text, label: text.route }));
  const tfidf = trainTfidf(texts.filter((text) => !isHeldOut(text)));
  changed({ task: `tools ${language}`, trunk: shipped.trunk, head, rows: texts.filter(isJudgedBy), tfidf }, print);
}

interface Changed {
  readonly task: string;
  readonly trunk: Trunk;
  readonly head: Head;
  readonly rows: readonly Labelled[];
  readonly tfidf: Classifier;
}

function changed({ task, trunk, head, rows, tfidf }: Changed, print: (row: Row) => void): void {
  const asWritten = askHead(trunk, head, rows);
  const before = mean(rightOf(asWritten));
  const tfidfBefore = accuracyOf(tfidf, rows);
  const chosen = choicesOf(asWritten);
  for (const change of DISTURBANCES) {
    const others = rows.map(({ text, label }) => ({ text: disturbed(text, change), label }));
    const predictions = askHead(trunk, head, others);
    const choices = choicesOf(predictions);
    const after = mean(rightOf(predictions));
    print({
      task,
      change,
      n: rows.length,
      before,
      after,
      by: after - before,
      flips: chosen.reduce((count, choice, row) => count + (choice === choices[row] ? 0 : 1), 0),
      tfidf_before: tfidfBefore,
      tfidf_by: accuracyOf(tfidf, others) - tfidfBefore,
      majority: majorityOf(rows.map(({ label }) => label)),
    });
  }
}

function permuted(evaluation: Evaluation, print: (row: Row) => void): void {
  const { shipped, data } = evaluation;
  evaluation.say("robustness: options in another order");
  const rows = readChoiceRows(data).filter(({ options }) => options.length > 1);
  const random = xorshift(SEED);
  let flips = 0;
  let bits = 0;
  const right = rows.map(({ text, context, options, expected }) => {
    const encoding = shipped.trunk.encode(text, context);
    const order = Int32Array.from(options.keys());
    shuffle(order, random);
    const ask = (entries: typeof options) => {
      const vocabulary = shipped.options.vocabulary(entries);
      const { choice, probabilities, confidence } = shipped.options.decide(encoding, vocabulary);
      const probabilityByLabel = new Map(vocabulary.labels.map((label, index) => [label, probabilities[index]]));
      return { label: vocabulary.labels[choice], probabilityByLabel, confidence };
    };
    const original = ask(options);
    const other = ask(Array.from(order, (index) => options[index]));
    if (original.label !== other.label) flips++;
    const isSame = [...original.probabilityByLabel].every(([label, p]) => other.probabilityByLabel.get(label) === p);
    if (!isSame || original.confidence !== other.confidence) bits++;
    return { before: original.label === expected ? 1 : 0, after: other.label === expected ? 1 : 0 };
  });
  const before = mean(right.map((pair) => pair.before));
  const after = mean(right.map((pair) => pair.after));
  print({
    task: "options, BFCL",
    change: "order",
    n: rows.length,
    before,
    after,
    by: after - before,
    flips,
    changed: bits,
  });
  if (flips + bits > 0)
    evaluation.fail("permutation", `Permuting the options changes ${flips} decisions, and numbers in ${bits} rows.`);
}
