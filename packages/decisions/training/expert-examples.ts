/**
 * What the shipped experts learn from: the team's phrasings for `tools` and `helpdesk`, the train splits of BANKING77 and CLINC150 for
 * `banking` and `assistant`. Each is also shown texts that none of its routes fits, so that it knows when to say no: paraphrases of other
 * areas of life for the first three, the out-of-scope texts of CLINC150 for the last.
 */
import type { HeadExample } from "../src/head/examples.ts";
import type { HeadSource } from "../src/head/train-head.ts";
import type { HeadRoute } from "../src/head/head-file.ts";
import { hashText } from "../src/text/rows.ts";
import type { DataFolder } from "./data-folder.ts";
import { readParaphrases } from "./paraphrases.ts";
import { isHeldBack, readPhrasings, type PhrasedExpert } from "./phrasings.ts";
import { ROUTE_DESCRIPTIONS } from "./route-descriptions.ts";

export interface ExpertLesson {
  readonly name: string;
  readonly routes: readonly Pick<HeadRoute, "route" | "description">[];
  readonly examples: readonly HeadExample[];
  /** What it learned from, for its card. */
  readonly data: readonly HeadSource[];
}

const LABELLED = { texts: ["text"], labels: ["label"] } as const;
const LANGUAGES = ["en", "fr"] as const;
/** Areas of the paraphrases in which the expert has nothing to do. */
const ELSEWHERE: Readonly<Record<PhrasedExpert | "banking", readonly string[]>> = {
  tools: ["bank", "money", "shopping", "telecom", "home"],
  helpdesk: ["food", "home", "travel", "knowledge", "calendar"],
  banking: ["food", "home", "travel", "calendar", "work"],
};
const ELSEWHERE_TEXTS = 1000;
const ELSEWHERE_SEED = 0x3c6ef372;

export function phrasedExpert(data: DataFolder, name: PhrasedExpert): ExpertLesson {
  const examples = LANGUAGES.flatMap((language) => readPhrasings(name, language)).filter(
    (row) => !isHeldBack(row) && !data.isHeldBack(row.text),
  );
  const strange = elsewhere(data, name);
  return {
    name,
    routes: Object.entries(ROUTE_DESCRIPTIONS[name].en).map(([route, description]) => ({ route, description })),
    examples: [...examples.map(({ text, route, template }) => ({ text, route, group: template })), ...strange],
    data: [source("team phrasings", "MIT", examples), source("team paraphrases of other areas", "MIT", strange)],
  };
}

export function bankingExpert(data: DataFolder): ExpertLesson {
  const rows = data.rows("intents/BANKING77/train.jsonl", "experts", LABELLED);
  const strange = elsewhere(data, "banking");
  return {
    name: "banking",
    routes: namesOf(rows),
    examples: [...rows.map(({ text, label }) => ({ text, route: label })), ...strange],
    data: [source("BANKING77 train", "CC BY 4.0", rows), source("team paraphrases of other areas", "MIT", strange)],
  };
}

export function assistantExpert(data: DataFolder): ExpertLesson {
  const rows = data.rows("intents/CLINC150/train.jsonl", "experts", LABELLED);
  const outside = data.rows("oos/CLINC150/train.jsonl", "experts", LABELLED);
  return {
    name: "assistant",
    routes: namesOf(rows),
    examples: [
      ...rows.map(({ text, label }) => ({ text, route: label })),
      ...outside.map(({ text }) => ({ text, route: null })),
    ],
    data: [source("CLINC150 train", "CC BY 3.0", rows), source("CLINC150 out-of-scope train", "CC BY 3.0", outside)],
  };
}

function elsewhere(data: DataFolder, expert: keyof typeof ELSEWHERE): HeadExample[] {
  return readParaphrases()
    .filter(({ area, language }) => ELSEWHERE[expert].includes(area) && (expert !== "banking" || language === "en"))
    .filter(({ text }) => !data.isHeldBack(text))
    .toSorted((a, b) => hashText(a.text, ELSEWHERE_SEED) - hashText(b.text, ELSEWHERE_SEED))
    .slice(0, ELSEWHERE_TEXTS)
    .map(({ text, group }) => ({ text, route: null, group: `elsewhere ${group}` }));
}

function source(name: string, licence: string, rows: readonly unknown[]): HeadSource {
  return { name, licence, rows: rows.length };
}

/** The routes of a data set say what they are by name alone. */
function namesOf(rows: readonly { readonly label: string }[]) {
  return [...new Set(rows.map(({ label }) => label))].map((route) => ({
    route,
    description: `${route.replaceAll("_", " ")}.`,
  }));
}
