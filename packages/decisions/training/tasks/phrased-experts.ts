/**
 * The shipped experts on held-back templates, by language. The correct action for the route of a tool is to call it,
 * for chat to answer, and for everything else to delegate.
 */
import { loadBackground } from "../../src/background/background.ts";
import type { RouteKind } from "../../src/head/head-file.ts";
import { loadHead, type Head } from "../../src/head/load-head.ts";
import { trainHead } from "../../src/head/train-head.ts";
import { mean } from "../../src/evaluate/metrics.ts";
import { normaliseText } from "../../src/text/readable.ts";
import type { Trunk } from "../../src/trunk/trunk.ts";
import { phrasedExpert } from "../expert-examples.ts";
import { trainBaselines } from "../intent-heads.ts";
import { isHeldOut, isJudgedBy, readPhrasings, type PhrasedExpert, type PhrasedText } from "../phrasings.ts";
import type { Column, Row } from "../table.ts";
import { CALIBRATION, rowOf } from "./custom-heads.ts";
import { isSelected, type Evaluation } from "./evaluation.ts";

const COLUMNS: readonly Column[] = [
  { key: "task", title: "experts", width: 12 },
  { key: "n", title: "n", width: 5 },
  { key: "accuracy", title: "acc", width: 6, as: "share" },
  { key: "accuracy_sd", title: "sd", width: 5, as: "share" },
  { key: "accuracy_ci95", title: "95 %", width: 11, as: "share" },
  { key: "action_accuracy", title: "action", width: 7, as: "share" },
  { key: "delegated", title: "deleg.", width: 7, as: "share" },
  { key: "ece", title: "ECE", width: 5, as: "share" },
  { key: "ece_ci95", title: "95 %", width: 9, as: "share" },
  { key: "tfidf", title: "tf-idf", width: 7, as: "share" },
  { key: "words", title: "words", width: 6, as: "share" },
  { key: "random", title: "random", width: 7, as: "share" },
  { key: "chance", title: "chance", width: 7, as: "share" },
  { key: "majority", title: "maj.", width: 5, as: "share" },
];
/** The default floor of the contract, for requests and heads that set none. */
const FLOOR = 0.55;

export function evaluateExperts(evaluation: Evaluation, randomTrunk: () => Trunk): void {
  if (!isSelected(evaluation, "phrasings")) return;
  const print = evaluation.table("experts", COLUMNS);
  const printedRows: Row[] = [];
  for (const expert of ["tools", "helpdesk"] as const)
    evaluation.attempt(`the expert ${expert}`, () => {
      for (const row of rowsOfExpert(evaluation, expert, randomTrunk())) {
        print(row);
        printedRows.push(row);
      }
    });
  const calibration = evaluation.table("calibration of experts", CALIBRATION);
  for (const row of printedRows) calibration(row);
}

function* rowsOfExpert(evaluation: Evaluation, expert: PhrasedExpert, randomTrunk: Trunk): Generator<Row> {
  const { trunk, seeds, say, data, quick } = evaluation;
  const lesson = phrasedExpert(data, expert);
  // Two templates may expand to the same words.
  const learnedTexts = new Set(lesson.examples.map(({ text }) => normaliseText(text)));
  const heads = seeds.map((seed) => {
    const shipped = shippedHead(evaluation, expert, seed);
    if (shipped !== null) return { head: shipped, rejected: null, seconds: 0 };
    say(`${expert}: head of seed ${seed}`);
    const began = performance.now();
    const { bytes, rejected } = trainHead(trunk, {
      ...lesson,
      background: loadBackground(),
      seed,
    });
    return { head: loadHead(bytes, trunk), rejected, seconds: (performance.now() - began) / 1000 };
  });
  say(`${expert}: baselines`);
  for (const language of ["en", "fr"] as const) {
    const texts = readPhrasings(expert, language);
    const judged = texts
      .filter((phrasing) => isJudgedBy(phrasing) && !learnedTexts.has(normaliseText(phrasing.text)))
      .map(({ text, route }) => ({ text, label: route }));
    const learned = texts.filter((text) => !isHeldOut(text));
    const train = (quick ? firstOfTemplates(learned) : learned).map(({ text, route }) => ({ text, label: route }));
    const baselines = trainBaselines(train, randomTrunk);
    yield {
      task: `${expert} ${language}`,
      train: "phrasings",
      on: "templ",
      ...rowOf({ learned: heads, trunk, judged, baselines }, quick),
      ...actionsOf(evaluation, heads[0].head, judged),
    };
  }
}

function firstOfTemplates(texts: readonly PhrasedText[]): readonly PhrasedText[] {
  return [...Map.groupBy(texts, ({ template }) => template).values()].map(([first]) => first);
}

/** The first seed is that of the release, so the shipped head is reused on the shipped trunk. */
function shippedHead({ trunk, shipped, seeds }: Evaluation, expert: PhrasedExpert, seed: number): Head | null {
  const isRelease = trunk.sha256 === shipped.trunk.sha256 && seed === seeds[0];
  return isRelease ? (shipped.experts.get(expert) ?? null) : null;
}

type Action = "tool_call" | "generate" | "delegate";

function actionsOf(
  { trunk, shipped }: Evaluation,
  head: Head,
  rows: readonly { readonly text: string; readonly label: string }[],
): Row {
  const kinds = new Map(head.routes.map(({ route, kind }) => [route, kind]));
  const isRelease = trunk.sha256 === shipped.trunk.sha256;
  if (!isRelease) return { action_accuracy: null, delegated: null };
  const acted = rows.map(({ text, label }) => {
    const encoding = trunk.encode(text);
    const { choice, confidence, margin, scope, outOfScope } = head.decide(encoding);
    const { escalate } = shipped.noul.decide({ state: text, encoding, confidence, margin, scope });
    const isHandedOver = escalate || outOfScope || confidence < FLOOR;
    const action = isHandedOver ? "delegate" : actionOfKind(head.routes[choice].kind);
    return { action, right: action === actionOfKind(kinds.get(label) ?? "tool") ? 1 : 0 };
  });
  return {
    action_accuracy: mean(acted.map(({ right }) => right)),
    delegated: mean(acted.map(({ action }) => (action === "delegate" ? 1 : 0))),
  };
}

function actionOfKind(kind: RouteKind): Action {
  if (kind === "escalate") return "delegate";
  return kind === "chat" ? "generate" : "tool_call";
}
