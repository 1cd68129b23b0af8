/**
 * Splits the texts of a foreign bot into train and test by their hashes, so that the split depends on nothing else. The
 * out-of-scope rows of a test are the bot's own fallback texts and texts of other bots.
 */
import { createHash } from "node:crypto";
import { normaliseText } from "../../src/text/readable.ts";
import type { Labelled } from "../labelled-rows.ts";

export interface SplitCorpus {
  readonly train: readonly Labelled[];
  readonly test: readonly Labelled[];
}

export const OUTSIDE_LABEL = "oos";
const FALLBACK = /^(none|other|fallback|nlu_fallback|default_fallback|out_?of_?scope|oos)(\b|[/_])/i;
/** Small talk is in scope of most bots, under other labels. */
const SMALL_TALK =
  /chit|greet|bye|thank|affirm|deny|confirm|reject|cancel|stop|help|hello|hi$|human|bot|mood|repeat|yes|^no|bonjour|salu|merci|revoir|oui|non$|inform/i;
const TEST_SHARE = 0.3;
const TEST_MAX = 600;
const TRAIN_MAX = 1_500;
const TRAIN_LABEL_MIN = 2;
/** 40 % of the test rows. */
const OUTSIDE_PER_INSIDE = 2 / 3;
const FEW = { min: 2, spread: 3 };
/** The number of texts of the rarest label, and the factor from each label to the next. */
const SKEW = { first: 2, factor: 1.25 };

/** Drops texts with two labels, repeated texts and held-back texts. */
export function cleanRows(rows: readonly Labelled[], isHeldOut: (text: string) => boolean): readonly Labelled[] {
  const groups = Map.groupBy(rows, ({ text }) => normaliseText(text));
  return [...groups].flatMap(([key, group]) => {
    const isAmbiguous = new Set(group.map(({ label }) => label)).size > 1;
    return key === "" || isAmbiguous || isHeldOut(key) ? [] : [group[0]];
  });
}

export function splitCorpus(rows: readonly Labelled[], strangers: readonly Labelled[]): SplitCorpus {
  const inside = rows.filter(({ label }) => !FALLBACK.test(label));
  const fallback = byHash(rows.filter(({ label }) => FALLBACK.test(label)));
  const isTest = ({ text }: Labelled) => hashOf(text) / 2 ** 32 < TEST_SHARE;
  const train = byHash(inside.filter((row) => !isTest(row))).slice(0, TRAIN_MAX);
  const counts = countsOf(train);
  const isLearnable = ({ label }: Labelled) => (counts.get(label) ?? 0) >= TRAIN_LABEL_MIN;
  const judged = byHash(inside.filter((row) => isTest(row) && isLearnable(row))).slice(0, TEST_MAX);
  const own = new Set(rows.map(({ text }) => normaliseText(text)));
  const foreign = byHash(strangers.filter(({ text }) => !own.has(normaliseText(text))));
  const outside = [...fallback, ...foreign].slice(0, Math.round(judged.length * OUTSIDE_PER_INSIDE));
  return {
    train: train.filter(isLearnable),
    test: [...judged, ...outside.map(({ text }) => ({ text, label: OUTSIDE_LABEL }))],
  };
}

/** The rows of this bot that are out of scope for other bots. */
export function strangersIn(rows: readonly Labelled[]): readonly Labelled[] {
  return rows.filter(({ label }) => !FALLBACK.test(label) && !SMALL_TALK.test(label));
}

/** The same test split, with two to four training texts per label. */
export function fewShot({ train, test }: SplitCorpus): SplitCorpus {
  return { train: firstOf(train, (label) => FEW.min + (hashOf(label) % FEW.spread)), test };
}

/** The same test split, with many training texts for some labels and two for the rarest. */
export function skewed({ train, test }: SplitCorpus): SplitCorpus {
  const labels = [...countsOf(train).keys()].toSorted((a, b) => hashOf(a) - hashOf(b));
  const rank = new Map(labels.map((label, index) => [label, index]));
  return { train: firstOf(train, (label) => Math.round(SKEW.first * SKEW.factor ** (rank.get(label) ?? 0))), test };
}

function firstOf(rows: readonly Labelled[], count: (label: string) => number): readonly Labelled[] {
  const groups = Map.groupBy(rows, ({ label }) => label);
  return [...groups].flatMap(([label, group]) => byHash(group).slice(0, count(label)));
}

export function countsOf(rows: readonly Labelled[]): ReadonlyMap<string, number> {
  return new Map([...Map.groupBy(rows, ({ label }) => label)].map(([label, group]) => [label, group.length]));
}

function byHash(rows: readonly Labelled[]): readonly Labelled[] {
  return rows.toSorted((a, b) => hashOf(a.text) - hashOf(b.text));
}

function hashOf(text: string): number {
  return createHash("sha256").update(normaliseText(text)).digest().readUInt32BE();
}
