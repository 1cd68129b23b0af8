/**
 * Training data of the shipped experts, with out-of-scope texts: paraphrases of other areas for the first three
 * experts, and those of CLINC150 for `assistant`.
 */
import type { HeadExample } from "../src/head/examples.ts";
import type { HeadSource } from "../src/head/train-head.ts";
import type { HeadRoute } from "../src/head/head-file.ts";
import { normaliseText } from "../src/text/readable.ts";
import { hashText } from "../src/text/rows.ts";
import type { DataFolder } from "./data-folder.ts";
import { readParaphrases } from "./paraphrases.ts";
import { isHeldOut, isJudgedBy, readPhrasings, type PhrasedExpert, type PhrasedText } from "./phrasings.ts";
import { ROUTE_DESCRIPTIONS } from "./route-descriptions.ts";

export interface ExpertLesson {
  readonly name: string;
  readonly routes: readonly Pick<HeadRoute, "route" | "description">[];
  readonly examples: readonly HeadExample[];
  /** Texts for the calibration, because the trunk was trained on the examples. */
  readonly calibrateOn: readonly HeadExample[];
  readonly data: readonly HeadSource[];
}

const LABELLED = { texts: ["text"], labels: ["label"] } as const;
const LANGUAGES = ["en", "fr"] as const;
/** Paraphrase areas outside the scope of the expert. */
const ELSEWHERE: Readonly<Record<PhrasedExpert | "banking", readonly string[]>> = {
  tools: ["bank", "money", "shopping", "telecom", "home"],
  helpdesk: ["food", "home", "travel", "knowledge", "calendar"],
  banking: ["food", "home", "travel", "calendar", "work"],
};
const ELSEWHERE_TEXTS = 1000;
/** One text of other areas in this many is reserved for calibration. */
const ASIDE = 5;
const ELSEWHERE_SEED = 0x3c6ef372;

export function phrasedExpert(data: DataFolder, name: PhrasedExpert): ExpertLesson {
  const texts = LANGUAGES.flatMap((language) => readPhrasings(name, language)).filter(
    ({ text }) => !data.isHeldOut(text),
  );
  const examples = texts.filter((row) => !isHeldOut(row));
  const aside = texts.filter((row) => isHeldOut(row) && !isJudgedBy(row));
  const [strange, strangeAside] = parted(elsewhere(data, name));
  return {
    name,
    routes: Object.entries(ROUTE_DESCRIPTIONS[name].en).map(([route, description]) => ({ route, description })),
    examples: [...examples.map(grouped), ...strange],
    calibrateOn: untaught([...aside.map(grouped), ...strangeAside], examples),
    data: [source("team phrasings", "MIT", examples), source("team paraphrases of other areas", "MIT", strange)],
  };
}

export function bankingExpert(data: DataFolder): ExpertLesson {
  const rows = data.rows("intents/BANKING77/train.jsonl", "experts", LABELLED);
  const aside = data.rows("intents/BANKING77/valid.jsonl", "experts", LABELLED);
  const [strange, strangeAside] = parted(elsewhere(data, "banking"));
  return {
    name: "banking",
    routes: namesOf(rows),
    examples: [...rows.map(labelled), ...strange],
    calibrateOn: untaught([...aside.map(labelled), ...strangeAside], rows),
    data: [source("BANKING77 train", "CC BY 4.0", rows), source("team paraphrases of other areas", "MIT", strange)],
  };
}

export function assistantExpert(data: DataFolder): ExpertLesson {
  const rows = data.rows("intents/CLINC150/train.jsonl", "experts", LABELLED);
  const outside = data.rows("oos/CLINC150/train.jsonl", "experts", LABELLED);
  const aside = data.rows("intents/CLINC150/valid.jsonl", "experts", LABELLED);
  const outsideAside = data.rows("oos/CLINC150/valid.jsonl", "experts", LABELLED);
  return {
    name: "assistant",
    routes: namesOf(rows),
    examples: [...rows.map(labelled), ...outside.map(strayed)],
    calibrateOn: untaught([...aside.map(labelled), ...outsideAside.map(strayed)], [...rows, ...outside]),
    data: [source("CLINC150 train", "CC BY 3.0", rows), source("CLINC150 out-of-scope train", "CC BY 3.0", outside)],
  };
}

function grouped({ text, route, template }: PhrasedText): HeadExample {
  return { text, route, group: template };
}

function labelled({ text, label }: { readonly text: string; readonly label: string }): HeadExample {
  return { text, route: label };
}

function strayed({ text }: { readonly text: string }): HeadExample {
  return { text, route: null };
}

/** Separates one text in five for calibration from the training texts. */
function parted(examples: readonly HeadExample[]): readonly [HeadExample[], HeadExample[]] {
  const isAside = ({ group = "" }: HeadExample) => hashText(group, ELSEWHERE_SEED) % ASIDE === 0;
  return [examples.filter((example) => !isAside(example)), examples.filter(isAside)];
}

/**
 * Leaves out texts that are also training texts: templates may expand to the same words, and data sets contain
 * duplicates.
 */
function untaught(examples: readonly HeadExample[], taught: readonly { readonly text: string }[]): HeadExample[] {
  const learnedTexts = new Set(taught.map(({ text }) => normaliseText(text)));
  return examples.filter(({ text }) => !learnedTexts.has(normaliseText(text)));
}

function elsewhere(data: DataFolder, expert: keyof typeof ELSEWHERE): HeadExample[] {
  return readParaphrases()
    .filter(({ area, language }) => ELSEWHERE[expert].includes(area) && (expert !== "banking" || language === "en"))
    .filter(({ text }) => !data.isHeldOut(text))
    .toSorted((a, b) => hashText(a.text, ELSEWHERE_SEED) - hashText(b.text, ELSEWHERE_SEED))
    .slice(0, ELSEWHERE_TEXTS)
    .map(({ text, group }) => ({ text, route: null, group: `elsewhere ${group}` }));
}

function source(name: string, licence: string, rows: readonly unknown[]): HeadSource {
  return { name, licence, rows: rows.length };
}

/** Routes of a data set are described by name only. */
function namesOf(rows: readonly { readonly label: string }[]) {
  return [...new Set(rows.map(({ label }) => label))].map((route) => ({
    route,
    description: `${route.replaceAll("_", " ")}.`,
  }));
}
