/** Quoted phrases and exclusions as constraints. */
import type { TextPlan } from "../search/text-plan.ts";
import type { TermIndex } from "./build-term-sections.ts";
import { NOTHING, type Constraint } from "./constraints.ts";
import type { QueryScratch } from "./query-scratch.ts";
import { positionOf } from "./string-table.ts";
import { impactIn, termConstraint } from "./word-constraints.ts";

type Phrases = Pick<TextPlan, "phrases" | "excluded">;

export function phraseConstraints(termIndex: TermIndex, plan: Phrases, scratch: QueryScratch): Constraint[] {
  const numbersOf = (phrase: readonly string[]) => phrase.map((term) => positionOf(termIndex.terms, term));
  const constraints: Constraint[] = [];
  for (const phrase of plan.phrases.map(numbersOf)) {
    if (phrase.some((term) => term < 0)) return [NOTHING];
    const [rarest] = phrase.toSorted((a, b) => termIndex.documents[a] - termIndex.documents[b]);
    const { size, ids } = termConstraint(termIndex, rarest, scratch);
    const matches = (id: number) => hasPhrase(termIndex, id, phrase);
    constraints.push({
      size,
      ids: () => scratch.ids.subarray(0, keep(ids(), scratch.ids, matches)),
      narrow: (from, into) => keep(from, into, matches),
    });
  }
  const unwanted = plan.excluded.map(numbersOf).filter((phrase) => phrase.every((term) => term >= 0));
  if (unwanted.length > 0) {
    const matches = (id: number) => unwanted.every((phrase) => !isExcluded(termIndex, id, phrase));
    constraints.push({
      size: scratch.count,
      ids: () => scratch.ids.subarray(0, keep(scratch.everyId, scratch.ids, matches)),
      narrow: (from, into) => keep(from, into, matches),
    });
  }
  return constraints;
}

function isExcluded(termIndex: TermIndex, id: number, phrase: readonly number[]): boolean {
  return phrase.length === 1 ? impactIn(termIndex, phrase[0], id) > 0 : hasPhrase(termIndex, id, phrase);
}

/** `into` may share memory with `ids`. */
function keep(ids: Uint32Array, into: Uint32Array, matches: (id: number) => boolean): number {
  let count = 0;
  for (let i = 0; i < ids.length; i++) if (matches(ids[i])) into[count++] = ids[i];
  return count;
}

/** Whether the terms are side by side in the title or the commune. */
function hasPhrase({ nameTerms, nameStarts }: TermIndex, id: number, phrase: readonly number[]): boolean {
  const end = nameStarts[id + 1];
  for (let at = nameStarts[id]; at + phrase.length <= end; at++)
    if (phrase.every((term, offset) => nameTerms[at + offset] === term)) return true;
  return false;
}
