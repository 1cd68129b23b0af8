/** Phrases of AI policies, as data in `phrases.json`. A phrase is a row of word groups that occur in order. */
import data from "./phrases.json" with { type: "json" };

export const AI_STANCES = ["forbidden", "human_only", "disclose", "none"] as const;
export type AiStance = (typeof AI_STANCES)[number];

interface Phrase {
  readonly id: string;
  readonly stance: Exclude<AiStance, "none">;
  readonly groups: readonly string[];
  /** Maximum number of words between two groups. */
  readonly within: number;
  /** A sentence that contains one of these words does not match. */
  readonly unless: string | null;
  /** Only in files that address agents. */
  readonly isForAgents: boolean;
}

const STANCES: Readonly<Record<string, Phrase["stance"]>> = {
  forbidden: "forbidden",
  human_only: "human_only",
  disclose: "disclose",
};
const WITHIN = 12;

export const PHRASES: readonly Phrase[] = data.phrases.map((phrase) => ({
  id: phrase.id,
  stance: stanceOf(phrase.stance),
  groups: phrase.words,
  within: phrase.within ?? WITHIN,
  unless: phrase.unless ?? null,
  isForAgents: phrase.files === "agents",
}));

function stanceOf(name: string): Phrase["stance"] {
  const stance = STANCES[name];
  if (stance === undefined) throw new Error(`phrases.json: unknown stance ${name}`);
  return stance;
}

/** One alternative of a group: words in a row. `_` is any word, a final `*` any ending. */
type Sequence = readonly string[];

/** Sequences by their first word. Those that begin with a pattern are tried at every word. */
interface Group {
  readonly byWord: ReadonlyMap<string, readonly Sequence[]>;
  readonly byPattern: readonly Sequence[];
}

const VOCABULARY: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(data.vocabulary));
const parsedGroups = new Map<string, Group>();

/** Alternatives are separated by `|`; `@name` stands for each entry of the vocabulary. */
function readGroup(text: string): Group {
  const known = parsedGroups.get(text);
  if (known !== undefined) return known;
  const sequences = text
    .split("|")
    .flatMap(expand)
    .map((alternative) => alternative.split(" "));
  const isPattern = ([first = ""]: Sequence) => first.endsWith("*");
  const group = {
    byWord: Map.groupBy(
      sequences.filter((sequence) => !isPattern(sequence)),
      ([first = ""]) => first,
    ),
    byPattern: sequences.filter(isPattern),
  };
  parsedGroups.set(text, group);
  return group;
}

function expand(alternative: string): readonly string[] {
  const [reference, name = ""] = /@(\w+)/.exec(alternative) ?? [];
  if (reference === undefined) return [alternative];
  const entries = VOCABULARY.get(name);
  if (entries === undefined) throw new Error(`phrases.json: unknown vocabulary ${name}`);
  return entries.flatMap((entry) => expand(alternative.replace(reference, () => entry)));
}

function wordsOf(text: string): readonly string[] {
  return (
    text
      .toLowerCase()
      .replaceAll("’", "'")
      .match(/[\p{L}\p{N}]+(?:'\p{L}+)?/gu) ?? []
  );
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Each group is searched once per sentence. */
export function createPhraseMatcher(text: string): (phrase: Phrase) => boolean {
  const words = wordsOf(text);
  const found = new Map<string, readonly Span[]>();
  const spansOf = (group: string) => {
    const known = found.get(group) ?? spansIn(words, readGroup(group));
    found.set(group, known);
    return known;
  };
  return ({ groups: [first = "", ...rest], within, unless }) => {
    if (unless !== null && spansOf(unless).length > 0) return false;
    let ends = new Set(spansOf(first).map(({ to }) => to));
    for (const group of rest) {
      if (ends.size === 0) return false;
      const follows = ({ from }: Span) => range(from - within, from).some((end) => ends.has(end));
      ends = new Set(
        spansOf(group)
          .filter(follows)
          .map(({ to }) => to),
      );
    }
    return ends.size > 0;
  };
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

function spansIn(words: readonly string[], { byWord, byPattern }: Group): readonly Span[] {
  return words.flatMap((word, from) =>
    [...(byWord.get(word) ?? []), ...byPattern]
      .filter((sequence) => sequence.every((pattern, at) => isMatch(pattern, words[from + at])))
      .map((sequence) => ({ from, to: from + sequence.length })),
  );
}

function isMatch(pattern: string, word: string | undefined): boolean {
  if (word === undefined) return false;
  if (pattern === "_") return true;
  return pattern.endsWith("*") ? word.startsWith(pattern.slice(0, -1)) : pattern === word;
}
