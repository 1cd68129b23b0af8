/** What a request says, as the options are held against it: its terms with what they tell, context at the low weight of the trunk. */
import type { Encoding, Trunk } from "../trunk/trunk.ts";
import type { Frequencies } from "./frequencies.ts";
import { isWord, stemOf, termsOf } from "./terms.ts";

export interface SaidTerms {
  readonly stems: readonly SaidTerm[];
  /** With their weights. */
  readonly pairs: readonly (readonly [pair: string, weight: number])[];
  /** Length of the vector of what the stems tell, and their sum. */
  readonly length: number;
  readonly mass: number;
  /** The first distinct words of the text itself, for the gate: the most telling one first. */
  readonly words: readonly SaidWord[];
  readonly numbers: number;
  /** Share of words that are written in other letters than those of ASCII (accents are gone by then). */
  readonly foreign: number;
  /** Tokens of the text itself. */
  readonly count: number;
  /** Words with a capital in the middle of a sentence. */
  readonly names: number;
  /** It begins as a question for knowledge does. */
  readonly asks: boolean;
}

export interface SaidTerm {
  readonly stem: string;
  readonly weight: number;
  readonly telling: number;
}

export interface SaidWord {
  readonly stem: string;
  readonly telling: number;
  readonly vector: Float32Array;
  /** Of the vector. */
  readonly length: number;
}

/** A request is long before it has more words than this to say what it wants. */
const WORDS_MOST = 32;
const ASKING: ReadonlySet<string> = new Set(
  "what who why how when where which is are do does que quel quelle quels quelles qui pourquoi comment quand combien est".split(
    " ",
  ),
);
const NAME = /(?<=[\p{Ll},] )\p{Lu}\p{Ll}+/gu;
/** In characters: who says so much has named what there is to name. */
const NAMES_WITHIN = 2000;
const ASCII = /^[\x00-\x7f]+$/;

export function createSaidTerms(trunk: Trunk, frequencies: Frequencies): (encoding: Encoding) => SaidTerms {
  // Several questions are asked about one request: its terms are found once.
  const kept = new WeakMap<Encoding, SaidTerms>();
  return (encoding) => {
    const known = kept.get(encoding);
    if (known !== undefined) return known;
    const said = read(encoding);
    kept.set(encoding, said);
    return said;
  };

  function read({ state, tokens, contextTokens }: Encoding): SaidTerms {
    const weights = new Map<string, number>();
    const pairs = new Map<string, number>();
    for (const [list, weight] of [[contextTokens, trunk.contextWeight] as const, [tokens, 1] as const]) {
      const terms = termsOf(list);
      for (const stem of terms.stems) weights.set(stem, weight);
      for (const pair of terms.pairs) pairs.set(pair, weight);
    }
    const stems = [...weights].map(([stem, weight]) => ({ stem, weight, telling: frequencies.telling(stem) }));
    let square = 0;
    let mass = 0;
    for (const { weight, telling } of stems) {
      square += weight * telling * telling;
      mass += weight * telling;
    }
    const ownWords = tokens.filter(isWord);
    const foreign = ownWords.filter((word) => !ASCII.test(word)).length / Math.max(1, ownWords.length);
    const numbers = tokens.filter((token) => token.startsWith("0")).length;
    return {
      stems,
      pairs: [...pairs],
      length: Math.sqrt(square),
      mass,
      words: wordsOf(ownWords),
      numbers,
      foreign,
      count: tokens.length,
      names: state.slice(0, NAMES_WITHIN).match(NAME)?.length ?? 0,
      asks: tokens.length > 0 && ASKING.has(tokens[0]),
    };
  }

  function wordsOf(tokens: readonly string[]): SaidWord[] {
    const first = new Map<string, string>();
    for (const token of tokens) {
      if (first.size >= WORDS_MOST) break;
      if (!first.has(stemOf(token))) first.set(stemOf(token), token);
    }
    const words = [...first].map(([stem, word]) => {
      const vector = trunk.word(word);
      let square = 0;
      for (let d = 0; d < vector.length; d++) square += vector[d] * vector[d];
      return { stem, telling: frequencies.telling(stem), vector, length: Math.sqrt(square) };
    });
    return words.sort((a, b) => b.telling - a.telling);
  }
}
