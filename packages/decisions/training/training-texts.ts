/** All training texts of shipped models, by model, as SHA-256 of the normalized texts. */
import { loadBackground } from "../src/background/background.ts";
import type { Trunk } from "../src/trunk/trunk.ts";
import { readChoiceRows } from "./choice-rows.ts";
import { hashOfText, type DataFolder } from "./data-folder.ts";
import { readDomainRows } from "./domain-rows.ts";
import { assistantExpert, bankingExpert, phrasedExpert } from "./expert-examples.ts";
import { readFunctionCalls } from "./function-calls.ts";
import { noulTexts } from "./noul-rows.ts";
import { plainSets } from "./plain-sets.ts";
import { readScoreRows } from "./score-rows.ts";
import { trunkTexts } from "./trunk-sources.ts";

export interface LearnedTexts {
  byLearner(): ReadonlyMap<string, readonly string[]>;
  all(): ReadonlySet<string>;
}

export function learnedTexts(data: DataFolder, trunk: Trunk, say: (message: string) => void): LearnedTexts {
  let found: ReadonlyMap<string, readonly string[]> | undefined;
  let union: ReadonlySet<string> | undefined;
  return { byLearner, all: () => (union ??= new Set([...byLearner().values()].flat())) };

  function byLearner(): ReadonlyMap<string, readonly string[]> {
    if (found !== undefined) return found;
    say("hashes of every text that was learned from");
    const experts = [
      phrasedExpert(data, "tools"),
      phrasedExpert(data, "helpdesk"),
      bankingExpert(data),
      assistantExpert(data),
    ];
    const texts: readonly (readonly [string, Iterable<string>])[] = [
      ["trunk", trunkTexts(data)],
      ["background", loadBackground().map(({ text }) => text)],
      ...experts.map(({ name, examples }) => [name, examples.map(({ text }) => text)] as const),
      [
        "options",
        new Set([...readChoiceRows(data), ...readFunctionCalls(data), ...plainSets(data)].map(({ text }) => text)),
      ],
      ["domain", readDomainRows(data).map(({ text }) => text)],
      ["noul", noulTexts(data)],
      ["score", readScoreRows(data, trunk).map(({ state }) => state)],
    ];
    found = new Map(texts.map(([name, own]) => [name, [...own].map(hashOfText)]));
    return found;
  }
}
