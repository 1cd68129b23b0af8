/**
 * Compares the hashes of all training texts with held-back texts (a match fails the run), and with validation texts and
 * held-back templates (matches are excluded).
 */
import { hashOfText, type DataFolder } from "../data-folder.ts";
import type { LearnedTexts } from "../training-texts.ts";
import { isHeldOut, readPhrasings } from "../phrasings.ts";
import type { Column } from "../table.ts";
import { INTENT_SETS } from "../trunk-sources.ts";
import { isSelected, type Evaluation } from "./evaluation.ts";

const TEXT = { texts: ["text"] } as const;
const COLUMNS: readonly Column[] = [
  { key: "learner", title: "learned by", width: 12 },
  { key: "texts", title: "texts", width: 9 },
  { key: "held_back", title: "held back", width: 11 },
  { key: "in_valid", title: "in valid", width: 10 },
  { key: "in_templates", title: "in held-back templates", width: 23 },
];

export function collisions(learned: readonly string[], judged: ReadonlySet<string>): number {
  return learned.reduce((count, hash) => count + (judged.has(hash) ? 1 : 0), 0);
}

export function evaluateDisjointness(evaluation: Evaluation, learned: LearnedTexts): void {
  if (!isSelected(evaluation, "disjointness")) return;
  const { data } = evaluation;
  const print = evaluation.table("disjointness", COLUMNS);
  evaluation.attempt("disjointness", () => {
    const valid = validationHashes(data);
    const templates = templateHashes();
    let remaining = 0;
    for (const [learner, hashes] of learned.byLearner()) {
      const heldOutCount = collisions(hashes, data.heldOut);
      remaining += heldOutCount;
      print({
        learner,
        texts: hashes.length,
        held_back: heldOutCount,
        in_valid: collisions(hashes, valid),
        in_templates: collisions(hashes, templates),
      });
    }
    if (remaining > 0)
      evaluation.fail(
        "disjointness",
        `${remaining} training texts are held back: models trained on them must not be evaluated.`,
      );
  });
}

function validationHashes(data: DataFolder): ReadonlySet<string> {
  const rows = INTENT_SETS.flatMap((set) => data.rows(`intents/${set}/valid.jsonl`, "evaluation", TEXT));
  return new Set(rows.map(({ text }) => hashOfText(text)));
}

function templateHashes(): ReadonlySet<string> {
  const texts = (["tools", "helpdesk"] as const).flatMap((expert) =>
    (["en", "fr"] as const).flatMap((language) => readPhrasings(expert, language).filter(isHeldOut)),
  );
  return new Set(texts.map(({ text }) => hashOfText(text)));
}
