/** Highlights the words of the text by their contribution to the decision. */
import { el } from "/docs/dom.js";

/** @typedef {import("./api.js").Evidence} Evidence */

const WORD = /[\p{L}\p{M}\p{N}'\u2019]+/gu;
const STEPS = 3;

/** @param {string} text @param {readonly Evidence[]} evidence @returns {(Node | string)[]} */
export function highlightEvidence(text, evidence) {
  const weights = new Map(
    evidence
      .filter(({ kind }) => kind === "word" || kind === "lexical")
      .map((item) => [item.feature, item.contribution]),
  );
  const most = Math.max(0, ...[...weights.values()].map(Math.abs));
  /** @type {(Node | string)[]} */
  const out = [];
  let end = 0;
  for (const found of text.matchAll(WORD)) {
    out.push(text.slice(end, found.index), marked(found[0], contributionOf(found[0], weights), most));
    end = found.index + found[0].length;
  }
  return [...out, text.slice(end)];
}

/** @param {string} word @param {number} contribution @param {number} most */
function marked(word, contribution, most) {
  if (contribution === 0 || most === 0) return word;
  const step = Math.ceil((Math.abs(contribution) / most) * STEPS);
  const side = contribution > 0 ? "for" : "against";
  const title = `${contribution > 0 ? "+" : "−"}${Math.abs(contribution).toFixed(2)}`;
  return el("mark", { class: `${side} step-${Math.min(STEPS, step)}`, title }, [word]);
}

/**
 * A word may consist of several tokens: `l'heure` is `l'` and `heure`.
 * @param {string} word
 * @param {ReadonlyMap<string, number>} weights
 */
function contributionOf(word, weights) {
  const parts = folded(word)
    .split("'")
    .filter((part) => part !== "");
  const names = new Set(parts.flatMap((part) => [part, `${part}'`, `'${part}`]));
  let sum = 0;
  for (const name of names) sum += weights.get(name) ?? 0;
  return sum;
}

/** Normalizes words like the engine: no accents, lower case; digits are reduced to their count. */
function folded(/** @type {string} */ word) {
  return word
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFD")
    .replaceAll(/\p{M}+/gu, "")
    .replaceAll("\u2019", "'")
    .replaceAll(/\p{N}/gu, "0");
}
