/**
 * Training pairs of a trunk: same intent, text and intent name, word and gloss, same subject, same route in English
 * and French. A trunk for "unseen" figures excludes one data set with everything derived from it.
 */
import { featureCounts, type CountedText } from "./feature-counts.ts";
import { createCorpus, type Corpus } from "../src/trunk/corpus.ts";
import type { Batch, PairSource } from "../src/trunk/train-trunk.ts";
import { normaliseText } from "../src/text/readable.ts";
import type { DataFolder } from "./data-folder.ts";
import { readParaphrases, type Paraphrase } from "./paraphrases.ts";
import { isHeldOut, readPhrasings } from "./phrasings.ts";
import { readThesaurus } from "./thesaurus.ts";
import { readToolbook, type Tool } from "./toolbook.ts";

export const INTENT_SETS = ["BANKING77", "CLINC150", "HWU64"] as const;
export type IntentSet = (typeof INTENT_SETS)[number];

export interface TrunkShape {
  readonly rows: number;
  /** Number of the most common words, adjacent pairs and n-grams with their own row. */
  readonly own: { readonly words: number; readonly pairs: number; readonly pieces: number };
}

export const TRUNK_SHAPE: TrunkShape = { rows: 32_768, own: { words: 12_768, pairs: 6_000, pieces: 14_000 } };

export interface TrunkLesson {
  readonly corpus: Corpus;
  readonly sources: readonly PairSource[];
  readonly own: Uint32Array;
}

type TextList = Pick<Corpus, "add">;

interface Labelled {
  readonly text: string;
  readonly label: string;
}

interface Pair {
  readonly a: string;
  readonly b: string;
}

const LABELLED = { texts: ["text"], labels: ["label"] } as const;
const PAIR = { texts: ["a", "b"] } as const;

export function trunkLesson(data: DataFolder, shape: TrunkShape, without: IntentSet | null): TrunkLesson {
  const material = readMaterial(data, without);
  const own = commonest(countedTexts(material), shape.own);
  const corpus = createCorpus({ rows: shape.rows, own: new Map([...own].map((hash, row) => [hash, row])) });
  return { corpus, own, sources: sourcesOf(corpus, material) };
}

/** Every training text of the shipped trunk, without preparing the training. */
export function trunkTexts(data: DataFolder): Iterable<string> {
  const texts = new Map<string, number>();
  const add = (text: string): number => {
    const id = texts.get(text) ?? texts.size;
    texts.set(text, id);
    return id;
  };
  sourcesOf({ add }, readMaterial(data, null));
  return texts.keys();
}

function readMaterial(data: DataFolder, without: IntentSet | null) {
  const intents = [...INTENT_SETS, "SNIPS" as const]
    .filter((set) => set !== without)
    .map((set) => ({ set, rows: data.rows(`intents/${set}/train.jsonl`, "trunk", LABELLED) }));
  const glosses = data.rows("pairs/wordnet.jsonl.gz", "trunk", PAIR);
  const turns = data.rows("pairs/tm4.jsonl.gz", "trunk", PAIR);
  const subjects = data
    .rows("escalate/routellm_mmlu_dev.jsonl.gz", "trunk", { texts: ["text"], labels: ["subject"] })
    .map(({ text, subject }) => ({ text: text.replace(/\nAnswer:$/, ""), label: subject }));
  const facets = data
    .rows("multi/nlupp_banking.jsonl", "trunk", { texts: ["text"], lists: ["labels"] })
    .filter(({ labels }) => labels.length > 0)
    .map(({ text, labels }) => ({ text, label: labels.toSorted().join(" ") }));
  const isReserved = reservedTexts(data, without);
  const isFree = ({ text }: { readonly text: string }) => !isReserved(text);
  const phrasings = (["tools", "helpdesk"] as const).map((expert) => ({
    expert,
    rows: (["en", "fr"] as const).flatMap((language) =>
      readPhrasings(expert, language)
        .filter((row) => !isHeldOut(row) && isFree(row))
        .map(({ text, route }) => ({ text, label: route })),
    ),
  }));

  // A name paired with a text counts as a text.
  const isNameFree = ({ label }: { readonly label: string }) => !isReserved(label);
  const written = readParaphrases().filter(isFree);
  const expressions = readThesaurus().filter(isFree);
  const tools = readToolbook()
    .flatMap((family) => family.tools)
    .map((tool) => ({
      ...tool,
      en: tool.en.filter((text) => !isReserved(text)),
      fr: tool.fr.filter((text) => !isReserved(text)),
    }));

  return {
    intents,
    glosses,
    turns,
    subjects,
    facets: facets.filter(isNameFree),
    isNameFree,
    phrasings,
    written,
    expressions,
    tools,
  };
}

type Material = ReturnType<typeof readMaterial>;

function countedTexts({ intents, glosses, subjects, phrasings, written, expressions, tools }: Material): CountedText[] {
  return [
    ...written.map(({ text }) => ({ text, weight: 3 })),
    ...expressions.map(({ text }) => ({ text, weight: 3 })),
    ...tools.flatMap((tool) =>
      [tool.description, tool.description_fr, ...tool.en, ...tool.fr].map((text) => ({ text, weight: 1 })),
    ),
    ...intents.flatMap(({ rows }) => rows.map(({ text }) => ({ text, weight: 3 }))),
    ...phrasings.flatMap(({ rows }) => rows.map(({ text }) => ({ text, weight: 1 }))),
    ...glosses.flatMap(({ a, b }) => [a, b].map((text) => ({ text, weight: 1 }))),
    ...subjects.map(({ text }) => ({ text, weight: 0.3 })),
  ];
}

function sourcesOf(
  corpus: TextList,
  { intents, glosses, turns, subjects, facets, isNameFree, phrasings, written, expressions, tools }: Material,
): PairSource[] {
  const everyIntent = intents.flatMap(({ set, rows }) =>
    rows.map(({ text, label }) => ({ text, label: `${set} ${label}` })),
  );
  return [
    ...intents.flatMap(({ set, rows }) => {
      const share = set === "SNIPS" ? 0.3 : 1;
      return [
        sameLabel(corpus, set, share, rows),
        withName(corpus, `${set} names`, 0.3 * share, rows.filter(isNameFree)),
      ];
    }),
    sameLabel(corpus, "all intents", 1, everyIntent),
    ...phrasings.flatMap(({ expert, rows }) => [
      sameLabel(corpus, expert, 1.5, rows),
      withName(corpus, `${expert} names`, 0.15, rows.filter(isNameFree)),
    ]),
    withName(corpus, "facets", 0.5, facets),
    asPairs(corpus, "glosses", 5, glosses),
    sameLabel(corpus, "subjects", 0.3, subjects),
    asPairs(corpus, "turns", 0.1, turns),
    ...fromParaphrases(corpus, written),
    sameLabel(
      corpus,
      "thesaurus",
      1.5,
      expressions.map(({ text, concept }) => ({ text, label: concept })),
    ),
    ...fromTools(corpus, tools),
  ];
}

/** Our own texts may happen to equal an evaluation text or one of the excluded data set: such texts are skipped. */
function reservedTexts(data: DataFolder, without: IntentSet | null): (text: string) => boolean {
  const validation = [...INTENT_SETS, "SNIPS"].flatMap((set) =>
    data.rows(`intents/${set}/valid.jsonl`, "evaluation", LABELLED),
  );
  const unseen = without === null ? [] : data.rows(`intents/${without}/train.jsonl`, "evaluation", LABELLED);
  const reserved = new Set([...validation, ...unseen].map(({ text }) => normaliseText(text)));
  return (text) => reserved.has(normaliseText(text)) || data.isHeldOut(text);
}

/** Across all areas, and within one, where negatives are similar. */
function fromParaphrases(corpus: TextList, written: readonly Paraphrase[]): PairSource[] {
  const areas = [...Map.groupBy(written, ({ area }) => area)];
  const labelled = (rows: readonly Paraphrase[]) => rows.map(({ text, group }) => ({ text, label: group }));
  return [
    sameLabel(corpus, "paraphrases", 3, labelled(written)),
    ...areas.map(([area, rows]) => sameLabel(corpus, area, 3 / areas.length, labelled(rows))),
  ];
}

function fromTools(corpus: TextList, tools: readonly Tool[]): PairSource[] {
  const described = tools.flatMap(({ name, description, description_fr, en, fr }) =>
    [...en, ...fr].flatMap((request) => [
      { text: request, label: `${name} ${description}` },
      { text: request, label: description_fr },
    ]),
  );
  const alike = tools.flatMap(({ name, description, en, fr }) =>
    [...en, ...fr].map((text) => ({ text, label: `${name} ${description}` })),
  );
  return [withName(corpus, "tool descriptions", 1.2, described), sameLabel(corpus, "tool requests", 0.5, alike)];
}

function sameLabel(corpus: TextList, name: string, share: number, rows: readonly Labelled[]): PairSource {
  const byLabel = Map.groupBy(rows, ({ label }) => label);
  const groups = [...byLabel.values()]
    .map((members) => [...new Set(members.map(({ text }) => corpus.add(text)))])
    .filter((members) => members.length > 1);
  return drawn(name, share, (random) => {
    const group = Math.floor(random() * groups.length);
    const members = groups[group];
    const first = Math.floor(random() * members.length);
    const second = (first + 1 + Math.floor(random() * (members.length - 1))) % members.length;
    return [members[first], members[second], group];
  });
}

function withName(corpus: TextList, name: string, share: number, rows: readonly Labelled[]): PairSource {
  const pairs = rows.map(({ text, label }) => [corpus.add(text), corpus.add(label.replaceAll("_", " "))] as const);
  return drawn(name, share, (random) => {
    const [text, label] = pairs[Math.floor(random() * pairs.length)];
    return [text, label, label];
  });
}

function asPairs(corpus: TextList, name: string, share: number, rows: readonly Pair[]): PairSource {
  const pairs = rows.map(({ a, b }) => [corpus.add(a), corpus.add(b)] as const);
  return drawn(name, share, (random) => {
    const index = Math.floor(random() * pairs.length);
    const [a, b] = pairs[index];
    return [a, b, index];
  });
}

type Draw = (random: () => number) => readonly [left: number, right: number, group: number];

function drawn(name: string, share: number, draw: Draw): PairSource {
  return {
    name,
    share,
    draw(random, size, out: Batch) {
      for (let index = 0; index < size; index++) {
        const [left, right, group] = draw(random);
        out.left[index] = left;
        out.right[index] = right;
        out.classes[index] = group;
      }
    },
  };
}

function commonest(texts: readonly CountedText[], own: TrunkShape["own"]): Uint32Array {
  const { words, pairs, pieces } = featureCounts(texts);
  const chosen = [top(words, own.words), top(pairs, own.pairs), top(pieces, own.pieces)].flat();
  return Uint32Array.from(new Set(chosen));
}

function top(counts: ReadonlyMap<number, number>, count: number): number[] {
  return [...counts]
    .toSorted(([a, m], [b, n]) => n - m || a - b)
    .slice(0, count)
    .map(([hash]) => hash);
}
