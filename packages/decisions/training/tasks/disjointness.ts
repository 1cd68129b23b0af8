/**
 * Proof that nothing was learned from what it is judged by: the SHA-256 of every normalised training text, of every model, against the
 * held-back texts (none may be among them: a remaining one fails the run), and against the validation texts of the intent sets (train
 * and valid of the public sets share a few; those are left out of every figure, so they are only counted).
 */
import { readChoiceRows } from "../choice-rows.ts";
import { hashOfText, type DataFolder } from "../data-folder.ts";
import { assistantExpert, bankingExpert, phrasedExpert } from "../expert-examples.ts";
import { readDomainRows } from "../domain-rows.ts";
import { readNoulRows } from "../noul-rows.ts";
import { readScoreRows } from "../score-rows.ts";
import { printTable } from "../table.ts";
import { INTENT_SETS, TRUNK_SHAPE, trunkLesson } from "../trunk-sources.ts";
import { isWanted, readTrunk, type Evaluation } from "./evaluation.ts";

const TEXT = { texts: ["text"] } as const;

/** How many of the texts are among the hashes. */
export function collisions(texts: Iterable<string>, hashes: ReadonlySet<string>): number {
  let count = 0;
  for (const text of texts) if (hashes.has(hashOfText(text))) count++;
  return count;
}

export function evaluateDisjointness(evaluation: Evaluation): void {
  if (!isWanted(evaluation, "disjointness")) return;
  const trunk = readTrunk(evaluation, "trunk", "npm run train:trunk");
  if (trunk === null) return;
  const { data } = evaluation;
  const valid = validationHashes(data);
  const print = printTable(
    [
      ["learned by", 14],
      ["texts", 9],
      ["held back", 11],
      ["in valid", 9],
    ],
    evaluation.note("disjointness"),
  );
  const inputs: readonly (readonly [string, Iterable<string>])[] = [
    ["trunk", trunkLesson(data, TRUNK_SHAPE, null).corpus.texts.keys()],
    ...[phrasedExpert(data, "tools"), phrasedExpert(data, "helpdesk"), bankingExpert(data), assistantExpert(data)].map(
      ({ name, examples }) => [name, textsOf(examples)] as const,
    ),
    ["options", textsOf(readChoiceRows(data))],
    ["domain", textsOf(readDomainRows(data))],
    // Their rows are made with heads of their own, which takes longer than a quick run should.
    ...(evaluation.quick
      ? []
      : [
          ["noul", readNoulRows(data, trunk).map(({ state }) => state)] as const,
          ["score", readScoreRows(data, trunk).map(({ state }) => state)] as const,
        ]),
  ];
  let remaining = 0;
  for (const [name, given] of inputs) {
    const texts = [...given];
    const held = collisions(texts, data.heldBack);
    remaining += held;
    print([name, String(texts.length), String(held), String(collisions(texts, valid))]);
  }
  if (remaining === 0) return;
  process.stderr.write(
    `${remaining} training texts are held-back ones: nothing that was learned from them may be judged.\n`,
  );
  process.exitCode = 1;
}

function validationHashes(data: DataFolder): ReadonlySet<string> {
  return new Set(
    INTENT_SETS.flatMap((set) => data.rows(`intents/${set}/valid.jsonl`, "evaluation", TEXT)).map(({ text }) =>
      hashOfText(text),
    ),
  );
}

function textsOf(rows: readonly { readonly text: string }[]): string[] {
  return rows.map(({ text }) => text);
}
