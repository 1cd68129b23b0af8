/**
 * Evaluates domains on CLINC150: how often one is returned, and how accurate it is. Any domain for an out-of-scope text
 * is an error. `valid` uses a trunk that was trained without CLINC150, if available; test splits use the shipped model.
 */
import { openDomain, type Domain } from "../../src/features/load-domain.ts";
import { DOMAIN_DECAY, trainDomain } from "../../src/features/train-features.ts";
import { normaliseText } from "../../src/text/readable.ts";
import type { Trunk } from "../../src/trunk/trunk.ts";
import { readDomainRows, readDomains } from "../domain-rows.ts";
import type { IntentHeads } from "../intent-heads.ts";
import { intervalOfShare, likeliest, majorityOf } from "../judge-head.ts";
import type { Labelled } from "../labelled-rows.ts";
import { trainTfidf, type Classifier } from "../linear-baselines.ts";
import type { Column, Row } from "../table.ts";
import { drawsOf } from "./custom-heads.ts";
import { HELD_OUT, isSelected, type Evaluation } from "./evaluation.ts";

const COLUMNS: readonly Column[] = [
  { key: "task", title: "domain", width: 9 },
  { key: "on", title: "on", width: 7 },
  { key: "trunk", title: "trunk", width: 8 },
  { key: "n", title: "n", width: 7 },
  { key: "coverage", title: "coverage", width: 8, as: "share" },
  { key: "right", title: "right", width: 7, as: "share" },
  { key: "right_ci95", title: "95 %", width: 12, as: "share" },
  { key: "coverage_outside", title: "outside", width: 8, as: "share" },
  { key: "tfidf", title: "tf-idf, same coverage", width: 21, as: "share" },
  { key: "majority", title: "majority", width: 9, as: "share" },
];

/** A quick run uses one training text of the baseline in this many. */
const QUICK = 8;

export function evaluateDomain(evaluation: Evaluation, heads: IntentHeads): void {
  if (!isSelected(evaluation, "domain")) return;
  const print = evaluation.table("domain", COLUMNS);
  evaluation.attempt("domain", () => {
    const { data, shipped, quick } = evaluation;
    const domainOf = readDomains(data, "evaluation");
    const rows = readDomainRows(data);
    const learnedTexts = new Set(rows.map(({ text }) => normaliseText(text)));
    const isNew = ({ text }: Labelled) => !learnedTexts.has(normaliseText(text));
    const clinc = heads.rows("CLINC150");
    const lesson = rows.flatMap(({ text, route }, row) =>
      route === null || (quick && row % QUICK !== 0) ? [] : [{ text, label: route }],
    );
    evaluation.say("domain: baseline");
    const tfidf = trainTfidf(lesson);
    const asDomains = (of: readonly Labelled[]) =>
      of.filter(isNew).map(({ text, label }) => ({ text, label: domainOf.get(label) ?? "" }));
    const isRelease = clinc.seen === "seen" && evaluation.trunk.sha256 === shipped.trunk.sha256;
    const model = isRelease
      ? shipped.domain
      : openDomain(trainDomain(clinc.trunk, rows, DOMAIN_DECAY).bytes, clinc.trunk);
    const judge = (judged: Omit<Judged, "tfidf" | "draws">): Row =>
      figuresOf({ ...judged, tfidf, draws: drawsOf(quick) });
    print({
      task: "CLINC150",
      on: "valid",
      trunk: clinc.seen,
      ...judge({
        model,
        trunk: clinc.trunk,
        inside: asDomains(clinc.valid),
        outside: clinc.outsideValid.filter(isNew),
      }),
    });
    const name = { task: "CLINC150", on: "test", trunk: "seen" };
    if (clinc.test === null) print({ ...name, n: HELD_OUT });
    else
      print({
        ...name,
        ...judge({
          model: shipped.domain,
          trunk: shipped.trunk,
          inside: asDomains(clinc.test),
          outside: (clinc.outsideTest ?? []).filter(isNew),
        }),
      });
  });
}

interface Judged {
  readonly model: Domain;
  readonly trunk: Trunk;
  readonly inside: readonly Labelled[];
  readonly outside: readonly Labelled[];
  readonly tfidf: Classifier;
  readonly draws: number;
}

/** The baseline returns as many domains as the model: those with the highest probabilities. */
function figuresOf({ model, trunk, inside, outside, tfidf, draws }: Judged): Row {
  const predicted = inside.map(({ text }) => model.decide(trunk.encode(text)).domain);
  const strays = outside.filter(({ text }) => model.decide(trunk.encode(text)).domain !== null).length;
  const right = predicted.flatMap((domain, row) => (domain === null ? [] : domain === inside[row].label ? 1 : 0));
  const withStrays = [...right, ...Array.from({ length: strays }, () => 0)];
  const linear = inside
    .map(({ text, label }) => {
      const p = tfidf.decide(text);
      return { sure: Math.max(...p), right: likeliest(tfidf.labels, p) === label };
    })
    .toSorted((a, b) => b.sure - a.sure)
    .slice(0, right.length);
  return {
    n: inside.length,
    strays: outside.length,
    coverage: right.length / inside.length,
    right: withStrays.length === 0 ? null : withStrays.filter((value) => value === 1).length / withStrays.length,
    right_ci95: withStrays.length === 0 ? null : intervalOfShare(withStrays, draws),
    coverage_outside: outside.length === 0 ? null : strays / outside.length,
    tfidf: linear.length === 0 ? null : linear.filter((item) => item.right).length / linear.length,
    chance: 1 / model.domains.length,
    majority: majorityOf(inside.map(({ label }) => label)),
  };
}
