/**
 * Surface features in English and French, independent of the subject: length, sentences, numbers, function words. Most
 * counts are log(1 + n), because the second occurrence matters more than the tenth.
 */
import { log } from "../math/exp-log.ts";
import type { Encoding } from "../trunk/trunk.ts";
import { countCharacters, MARK, NUMBER, QUESTION, SIGN } from "./characters.ts";

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

const WORD_LISTS = Object.values(WORDS).map((words) => words.split(" "));
/** For each word, the lists that contain it. */
const LISTS_OF_WORD: ReadonlyMap<string, readonly number[]> = listsOfWords();
const LIST_OF_NUMBERS = Object.keys(WORDS).indexOf("words of number");
const LIST_MARKER = /^\s*(?:[-*•]|\d{1,3}[.)]|[a-zA-Z][.)])\s/gm;
const ANSWER_MARKER = /^\s*[A-D][.)]\s/gm;
const SENTENCE_END = /[.!?…]+(?=\s|$)/g;
const WRITTEN_NUMBER = /\p{N}+(?:[.,]\p{N}+)*/gu;
/** A count that is used linearly has the value 1 at this number. */
const AMOUNTS = 5;
const TOKENS = 50;
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

const OFFERS_ANSWERS = SURFACE_SIGNALS.indexOf("answers to choose from");
const AMOUNTS_EACH = SURFACE_SIGNALS.indexOf("amounts, each");
const SENTENCES = SURFACE_SIGNALS.indexOf("sentences");
/** Two amounts, in the units of the surface signals. */
const TWO_AMOUNTS = 2 / AMOUNTS;
const TWO_SENTENCES = log(3);

/** Noul and score read the same text one after the other, so the last surface is cached. */
let last: { readonly state: string; readonly encoding: Encoding; readonly surface: Float64Array } | null = null;

export function surfaceOf(state: string, encoding: Encoding): Float64Array {
  if (last?.encoding === encoding && last.state === state) return last.surface;
  const surface = readSurface(state, encoding);
  last = { state, encoding, surface };
  return surface;
}

export function looksLikeChoice(surface: Float64Array): boolean {
  return surface[OFFERS_ANSWERS] === 1;
}

export function looksLikeProblem(surface: Float64Array): boolean {
  return surface[AMOUNTS_EACH] >= TWO_AMOUNTS && surface[SENTENCES] >= TWO_SENTENCES;
}

function readSurface(state: string, { tokens, contextTokens }: Encoding): Float64Array {
  const { numbers, long, letters, distinct, inLists } = countTokens(tokens);
  const { lineEnds, questions, clauses, signs, capitals, present } = countCharacters(state);
  // A pattern runs only if the text contains a character that it requires.
  const countIf = (kinds: number, pattern: RegExp) => ((present & kinds) === 0 ? 0 : countOf(state, pattern));
  const written = (present & NUMBER) === 0 ? [] : (state.match(WRITTEN_NUMBER) ?? []);
  const lines = 1 + lineEnds;
  const out = new Float64Array(SURFACE_SIGNALS.length);
  out[0] = logOf(tokens.length);
  out[1] = logOf(countIf(QUESTION | MARK, SENTENCE_END));
  out[2] = logOf(clauses);
  out[3] = logOf(lineEnds);
  out[4] = logOf(questions);
  out[5] = logOf(numbers);
  out[6] = logOf(countIf(MARK, LIST_MARKER));
  out[7] = countIf(MARK, ANSWER_MARKER) >= 3 ? 1 : 0;
  out[8] = logOf(signs);
  out[9] = tokens.length === 0 ? 0 : long / tokens.length;
  out[10] = logOf(contextTokens.length);
  out[11] = tokens.length === 0 ? 0 : letters / tokens.length;
  out[12] = log(1 + state.length / lines);
  out[13] = state.length === 0 ? 0 : capitals / state.length;
  out[14] = tokens.length === 0 ? 0 : distinct / tokens.length;
  out[15] = logOf(countIf(MARK | SIGN, BLANK));
  out[16] = countIf(NUMBER, LINE_WITH_NUMBER) / lines;
  out[17] = logOf(new Set(written).size);
  out[18] = (written.length + inLists[LIST_OF_NUMBERS]) / AMOUNTS;
  out[19] = written.length / AMOUNTS;
  out[20] = tokens.length / TOKENS;
  for (let list = 0; list < inLists.length; list++) out[21 + list] = logOf(inLists[list]);
  return out;
}

function listsOfWords(): Map<string, number[]> {
  const lists = new Map<string, number[]>();
  for (const [list, words] of WORD_LISTS.entries())
    for (const word of new Set(words)) {
      const existing = lists.get(word) ?? [];
      lists.set(word, [...existing, list]);
    }
  return lists;
}

function countTokens(tokens: readonly string[]) {
  const inLists = new Uint32Array(WORD_LISTS.length);
  const seen = new Set<string>();
  let numbers = 0;
  let long = 0;
  let letters = 0;
  for (const token of tokens) {
    seen.add(token);
    letters += token.length;
    if (token.length >= LONG_WORD) long++;
    // The tokenizer replaces every number with 0, and nothing else starts with one.
    if (token.startsWith("0")) numbers++;
    const lists = LISTS_OF_WORD.get(token);
    if (lists !== undefined) for (const list of lists) inLists[list]++;
  }
  return { numbers, long, letters, distinct: seen.size, inLists };
}

/** `pattern` must be global, so that its `lastIndex` is the end of the last match. */
function countOf(text: string, pattern: RegExp): number {
  let count = 0;
  pattern.lastIndex = 0;
  while (pattern.test(text)) count++;
  return count;
}

const LOGS = Float64Array.from({ length: 64 }, (_, count) => log(1 + count));

function logOf(count: number): number {
  return count < LOGS.length ? LOGS[count] : log(1 + count);
}
