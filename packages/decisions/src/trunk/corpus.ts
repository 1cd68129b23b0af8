/** The training corpus: each distinct word once, with its rows, and each text as a list of words and pairs. */
import { rowOfPair, rowsOfWord, type RowPlan } from "../text/rows.ts";
import { tokenise } from "../text/tokenise.ts";

export interface Corpus {
  readonly plan: RowPlan;
  /** The row of each word, and where its n-grams start in `pieces`. */
  readonly wordRow: number[];
  readonly pieceStart: number[];
  readonly pieces: number[];
  /** Where the words and pairs of each text start. */
  readonly wordStart: number[];
  readonly words: number[];
  readonly pairs: number[];
  readonly texts: ReadonlyMap<string, number>;
  add(text: string): number;
}

export function createCorpus(plan: RowPlan): Corpus {
  const idByWord = new Map<string, number>();
  const texts = new Map<string, number>();
  const corpus: Corpus = {
    plan,
    wordRow: [],
    pieceStart: [0],
    pieces: [],
    wordStart: [0],
    words: [],
    /** The pair at an index consists of the word at this index and the previous one; -1 at the beginning of a text. */
    pairs: [],
    texts,
    add(text) {
      const before = texts.get(text);
      if (before !== undefined) return before;
      const { tokens } = tokenise(text);
      for (const [index, token] of tokens.entries()) {
        corpus.words.push(wordOf(token));
        const left = tokens[index - 1];
        corpus.pairs.push(left === undefined ? -1 : rowOfPair(plan, left, token));
      }
      const id = corpus.wordStart.push(corpus.words.length) - 2;
      texts.set(text, id);
      return id;
    },
  };
  return corpus;

  function wordOf(token: string): number {
    const before = idByWord.get(token);
    if (before !== undefined) return before;
    const { word, pieces } = rowsOfWord(plan, token);
    const id = corpus.wordRow.push(word) - 1;
    for (const row of pieces) corpus.pieces.push(row);
    corpus.pieceStart.push(corpus.pieces.length);
    idByWord.set(token, id);
    return id;
  }
}
