/** Splits a Markdown file into sentences with their line numbers. Wrapped lines are joined; fenced code is skipped. */

export interface Sentence {
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
  /** For list items: the sentence before the list, which the items complete. Otherwise empty. */
  readonly leadIn: string;
}

interface Block {
  readonly lines: readonly { readonly number: number; readonly text: string }[];
  readonly isItem: boolean;
}

/** Longer text is not prose. */
const SENTENCE_CHARACTERS_MAX = 2_000;
const ITEM = /^\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?/;
const HEADING = /^\s{0,3}#{1,6}\s|^\s*\|/;
/** Blockquote marks, GitHub alerts, and the delimiters of HTML comments. The text inside counts. */
const MARKS = /^[\s>]*(?:\[![A-Z]+\]\s*)?|<!--|-->/g;

export function sentencesOf(markdown: string): readonly Sentence[] {
  let leadIn = "";
  return blocksOf(markdown).flatMap((block) => {
    const sentences = splitBlock(block);
    if (!block.isItem) {
      const last = sentences.at(-1)?.text ?? "";
      leadIn = last.endsWith(":") ? last : "";
      return sentences;
    }
    return sentences.map((sentence) => ({ ...sentence, leadIn }));
  });
}

function blocksOf(markdown: string): readonly Block[] {
  const blocks: Block[] = [];
  let lines: { number: number; text: string }[] = [];
  let isItem = false;
  let fence: string | null = null;
  const end = () => {
    if (lines.length > 0) blocks.push({ lines, isItem });
    lines = [];
    isItem = false;
  };
  for (const [index, raw] of markdown.split(/\r?\n/).entries()) {
    const text = raw.replaceAll(MARKS, "");
    const [mark] = /^\s*(?:`{3,}|~{3,})/.exec(text) ?? [];
    if (fence !== null) {
      if (mark?.trim().startsWith(fence) === true) fence = null;
      continue;
    }
    const startsItem = ITEM.test(text);
    if (mark !== undefined || startsItem || HEADING.test(text) || text.trim() === "") end();
    if (mark !== undefined) fence = mark.trim();
    else if (text.trim() !== "") {
      isItem ||= startsItem;
      lines.push({ number: index + 1, text: text.replace(ITEM, "").trim() });
      if (HEADING.test(text)) end();
    }
  }
  end();
  return blocks;
}

/** A period before a space ends a sentence, except after an abbreviation. */
const END = /(?<!\.|\b(?:e\.g|i\.e|etc|vs|cf|incl))[.!?]["'*_)]*(?=\s)/gi;

function splitBlock({ lines }: Block): Sentence[] {
  const text = lines.map((line) => line.text).join("\n");
  const ends = [...text.matchAll(END)].map((match) => match.index + match[0].length);
  const sentences: Sentence[] = [];
  let from = 0;
  for (const to of [...ends, text.length]) {
    const part = text.slice(from, to);
    const start = from + (part.length - part.trimStart().length);
    const cleaned = part.replaceAll(/\s+/g, " ").trim().slice(0, SENTENCE_CHARACTERS_MAX);
    const before = text.slice(0, start).split("\n").length - 1;
    if (cleaned !== "") sentences.push({ line: lines[before]?.number ?? 1, text: cleaned, leadIn: "" });
    from = to;
  }
  return sentences;
}
