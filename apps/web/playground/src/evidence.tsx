/** Highlights the words of the text by their contribution to the decision. */
import type { ComponentChildren } from "preact";
import type { Explanation } from "./api.ts";

const WORD = /[\p{L}\p{M}\p{N}'\u2019]+/gu;
const STEPS = 3;

export function highlightEvidence(text: string, evidence: Explanation["evidence"]): readonly ComponentChildren[] {
  const weights = new Map(
    evidence
      .filter(({ kind }) => kind === "word" || kind === "lexical")
      .map((item) => [item.feature, item.contribution]),
  );
  const most = Math.max(0, ...[...weights.values()].map(Math.abs));
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const found of text.matchAll(WORD)) {
    parts.push(text.slice(end, found.index), marked(found[0], contributionOf(found[0], weights), most));
    end = found.index + found[0].length;
  }
  return [...parts, text.slice(end)];
}

function marked(word: string, contribution: number, most: number): ComponentChildren {
  if (contribution === 0 || most === 0) return word;
  const step = Math.min(STEPS, Math.ceil((Math.abs(contribution) / most) * STEPS));
  const title = `${contribution > 0 ? "+" : "−"}${Math.abs(contribution).toFixed(2)}`;
  return (
    <mark class={`${contribution > 0 ? "for" : "against"} step-${step}`} title={title}>
      {word}
    </mark>
  );
}

/** A word may consist of several tokens: `l'heure` is `l'` and `heure`. */
function contributionOf(word: string, weights: ReadonlyMap<string, number>): number {
  const parts = folded(word)
    .split("'")
    .filter((part) => part !== "");
  const names = new Set(parts.flatMap((part) => [part, `${part}'`, `'${part}`]));
  let sum = 0;
  for (const name of names) sum += weights.get(name) ?? 0;
  return sum;
}

/** Normalizes words like the engine: no accents, lower case; digits are reduced to their count. */
function folded(word: string): string {
  return word
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFD")
    .replaceAll(/\p{M}+/gu, "")
    .replaceAll("\u2019", "'")
    .replaceAll(/\p{N}/gu, "0");
}
