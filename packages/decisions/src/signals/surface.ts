/**
 * What shows on the surface of a text, whatever it is about: its length, sentences, numbers, and words of order, condition and
 * proportion in English and French. Most counts are taken as log(1 + n), because the second one matters more than the tenth.
 */
import { log } from "../numbers/exp-log.ts";
import type { Encoding } from "../trunk/trunk.ts";

const WORDS = {
  "words of sequence": "then after next finally before later first second puis ensuite apres enfin avant premierement",
  "words that join": "and also plus et aussi ainsi",
  "words of condition": "if unless when while until suppose assume given si sauf quand lorsque tandis sachant",
  "words of proportion":
    "each every per twice thrice times half double triple quarter third percent % / chaque par fois moitie quart tiers pourcent",
  "words of comparison":
    "more less than fewer remaining left total altogether difference rest moins reste restant totale ensemble",
  "words of negation": "not n't never no except false incorrect ne pas jamais aucun aucune faux",
  "words of quantity asked": "many much combien",
  "words of number":
    "one two three four five six seven eight nine ten eleven twelve dozen twenty thirty hundred deux trois quatre cinq sept huit neuf dix onze douze douzaine vingt trente cent mille",
  "words of time":
    "second seconds minute minutes hour hours day days week weeks month months year years daily weekly seconde secondes heure heures jour jours semaine semaines mois an ans annee annees",
  "words of reasoning":
    "why explain prove derive analyse analyze compare evaluate design justify pourquoi expliquer prouver comparer analyser evaluer",
} as const;

const WORD_SETS = Object.values(WORDS).map((words) => new Set(words.split(" ")));
const NUMBER_WORDS = new Set(WORDS["words of number"].split(" "));
const LIST_MARKER = /^\s*(?:[-*•]|\d{1,3}[.)]|[a-zA-Z][.)])\s/gm;
const ANSWER_MARKER = /^\s*[A-D][.)]\s/gm;
const SENTENCE_END = /[.!?…]+(?=\s|$)/g;
const CLAUSE = /[,;:]/g;
const SIGN = /[=^\\{}|_~√∑∫≤≥<>[\]]/g;
const QUESTION = /\?/g;
const NUMBER = /^0+$/;
const WRITTEN_NUMBER = /\p{N}+(?:[.,]\p{N}+)*/gu;
/** For what counts one by one: so many of it weigh 1. */
const AMOUNTS = 5;
const TOKENS = 50;
const CAPITAL = /\p{Lu}/gu;
const BLANK = /_{2,}|\.{4,}/g;
const LINE_WITH_NUMBER = /^.*\p{N}.*$/gmu;
const LONG_WORD = 9;

export const SURFACE_SIGNALS = [
  "length",
  "sentences",
  "clauses",
  "lines",
  "question marks",
  "numbers",
  "list markers",
  "answers to choose from",
  "signs of formulas or programs",
  "share of long words",
  "what was said before",
  "length of words",
  "length of lines",
  "share of capitals",
  "variety of words",
  "blanks to fill",
  "lines with numbers",
  "different numbers",
  "amounts, each",
  "numbers, each",
  "words, each",
  ...Object.keys(WORDS),
] as const;

export function surfaceOf(state: string, { tokens, contextTokens }: Encoding): Float64Array {
  const numbers = tokens.filter((token) => NUMBER.test(token)).length;
  const long = tokens.filter((token) => token.length >= LONG_WORD).length;
  const written = state.match(WRITTEN_NUMBER) ?? [];
  const said = tokens.filter((token) => NUMBER_WORDS.has(token)).length;
  const lists = countOf(state, LIST_MARKER);
  const lines = 1 + countOf(state, /\n/g);
  const letters = tokens.reduce((sum, token) => sum + token.length, 0);
  return Float64Array.from([
    logOf(tokens.length),
    logOf(countOf(state, SENTENCE_END)),
    logOf(countOf(state, CLAUSE)),
    logOf(lines - 1),
    logOf(countOf(state, QUESTION)),
    logOf(numbers),
    logOf(lists),
    offersAnswers(state) ? 1 : 0,
    logOf(countOf(state, SIGN)),
    tokens.length === 0 ? 0 : long / tokens.length,
    logOf(contextTokens.length),
    tokens.length === 0 ? 0 : letters / tokens.length,
    logOf(state.length / lines),
    state.length === 0 ? 0 : countOf(state, CAPITAL) / state.length,
    tokens.length === 0 ? 0 : new Set(tokens).size / tokens.length,
    logOf(countOf(state, BLANK)),
    countOf(state, LINE_WITH_NUMBER) / lines,
    logOf(new Set(written).size),
    (written.length + said) / AMOUNTS,
    written.length / AMOUNTS,
    tokens.length / TOKENS,
    ...WORD_SETS.map((words) => logOf(tokens.filter((token) => words.has(token)).length)),
  ]);
}

/** A question of an examination, with answers A, B, C to choose from. */
export function offersAnswers(state: string): boolean {
  return countOf(state, ANSWER_MARKER) >= 3;
}

function countOf(text: string, pattern: RegExp): number {
  let count = 0;
  for (const _ of text.matchAll(pattern)) count++;
  return count;
}

function logOf(count: number): number {
  return log(1 + count);
}
