/**
 * Requests with options that only have names and possibly descriptions: intents of the public sets, the toolbook, and
 * the phrasings of the experts. Gate and confidence of such options are fitted to them, but never the weights of the
 * signals.
 */
import type { OptionEntry } from "../src/options/option.ts";
import type { ChoiceRow } from "../src/options/train-options.ts";
import { hashText } from "../src/text/rows.ts";
import type { DataFolder } from "./data-folder.ts";
import { drawnOptions } from "./drawn-options.ts";
import { isHeldOut, LANGUAGES, readPhrasings } from "./phrasings.ts";
import { ROUTE_DESCRIPTIONS } from "./route-descriptions.ts";
import { readToolbook } from "./toolbook.ts";

const SEED = 0x3c6ef372;
const INTENT_SETS = ["BANKING77", "CLINC150", "HWU64", "SNIPS"] as const;
/** Numbers of options; each entry is used equally often. */
const SIZES = [3, 6, 10, 10, 14, 20] as const;
/** One text in this many is used from each source. */
const EVERY = { intents: 4, tools: 20, phrasings: 2, quick: 4 } as const;
/** The `source` of the rows that gate and confidence are fitted to. */
export const PLAIN_SOURCES = [...INTENT_SETS, "phrasings en", "phrasings fr"] as const;

export interface PlainRow extends ChoiceRow {
  readonly source: string;
}

export function plainSets(data: DataFolder, { quick = false } = {}): readonly PlainRow[] {
  const rows = [...INTENT_SETS.flatMap((set) => intentRows(data, set)), ...toolRows(), ...phrasedRows(data)];
  const own = rows.filter(({ text }) => !data.isHeldOut(text));
  return quick ? everyNth(EVERY.quick, own) : own;
}

/**
 * Requests of a set with some of its intents. Some are offered without the right one, some belong to another set or to
 * none.
 */
function intentRows(data: DataFolder, set: string): PlainRow[] {
  const read = (name: string) =>
    data.rows(`intents/${name}/valid.jsonl`, "options", { texts: ["text"], labels: ["label"] });
  const labels = [...new Set(read(set).map(({ label }) => label))].toSorted();
  const entries = new Map(labels.map((label) => [label, bare(label)]));
  const others = INTENT_SETS.filter((name) => name !== set && isFarFrom(set, name)).flatMap(read);
  const strays = data.rows("oos/CLINC150/valid.jsonl", "options", { texts: ["text"], labels: ["label"] });
  const inside = everyNth(EVERY.intents, read(set)).map(({ text, label }): PlainRow => {
    const isOpen = hashText(text, SEED) % 8 === 0;
    const options = drawn([...entries.values()], text, entries.get(label));
    const offered = isOpen ? options.filter((option) => option.label !== label) : options;
    return row({ text, options: offered, expected: isOpen ? null : label, source: set });
  });
  const outside = [...strays, ...drawnTexts(others, inside.length / 8)].map(({ text }) =>
    row({ text, options: drawn([...entries.values()], text), expected: null, source: set }),
  );
  return [...inside, ...outside];
}

/** Whether two sets share no topic, so that a text of the other set fits none of the intents. */
function isFarFrom(set: string, other: string): boolean {
  return (set === "BANKING77") !== (other === "BANKING77") && other !== "CLINC150" && set !== "CLINC150";
}

/**
 * Only a few rows, because the trunk was trained on the toolbook, so that its options look more distinct than they are.
 */
function toolRows(): PlainRow[] {
  const rows = readToolbook().flatMap(({ family, tools }) =>
    LANGUAGES.flatMap((language) => {
      const entries = tools.map((tool) => ({
        ...bare(tool.name),
        description: language === "fr" ? tool.description_fr : tool.description,
      }));
      return tools.flatMap((tool, index) =>
        tool[language].map((text) => ({ text, tool, family, language, options: drawn(entries, text, entries[index]) })),
      );
    }),
  );
  return everyNth(EVERY.tools, rows).map(({ text, tool, family, language, options }) => ({
    ...row({ text, options, expected: tool.name, source: `tools ${language}` }),
    group: `toolbook ${family}`,
    use: "rank",
  }));
}

function phrasedRows(data: DataFolder): PlainRow[] {
  const strays = data.rows("oos/CLINC150/train.jsonl", "options", { texts: ["text"] });
  return (["tools", "helpdesk"] as const).flatMap((expert) =>
    LANGUAGES.flatMap((language) => {
      const entries = Object.entries(ROUTE_DESCRIPTIONS[expert][language]).map(([label, description]) => ({
        ...bare(label),
        description,
      }));
      const texts = readPhrasings(expert, language).filter(isHeldOut);
      const firsts = [...Map.groupBy(texts, ({ template }) => template).values()].map(([first]) => first);
      const none = strays.map(({ text }) => ({ text, route: null }));
      return [...everyNth(EVERY.phrasings, firsts), ...none].flatMap(({ text, route }) => {
        const isOpen = route === null || hashText(text, SEED) % 8 === 0;
        const right = entries.find(({ label }) => label === route);
        const options = drawn(entries, text, right).filter((option) => !isOpen || option.label !== route);
        const made = row({ text, options, expected: isOpen ? null : route, source: `phrasings ${language}` });
        // Options with only a name are English.
        return language === "fr" ? made : [made, { ...made, options: options.map(({ label }) => bare(label)) }];
      });
    }),
  );
}

function row(made: Pick<PlainRow, "text" | "options" | "expected" | "source">): PlainRow {
  return { ...made, group: made.source, use: "gate" };
}

function bare(label: string): OptionEntry {
  return { label, description: "", parameters: [], examples: [] };
}

/** The right option, if any, and others, in an order that depends on the text. */
function drawn(entries: readonly OptionEntry[], text: string, right?: OptionEntry): readonly OptionEntry[] {
  const size = SIZES[hashText(text, SEED) % SIZES.length];
  return drawnOptions(entries, ({ label }) => label, { text, right, size, seed: SEED });
}

function drawnTexts<T extends { readonly text: string }>(rows: readonly T[], count: number): readonly T[] {
  return rows.toSorted((a, b) => hashText(a.text, SEED) - hashText(b.text, SEED)).slice(0, Math.ceil(count));
}

function everyNth<T>(every: number, rows: readonly T[]): readonly T[] {
  return rows.filter((_, index) => index % every === 0);
}
