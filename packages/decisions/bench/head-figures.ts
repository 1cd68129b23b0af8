/** Measures training a head of 77 routes with 50 texts each, and preparing 255 unseen options. */
import { plainParameter } from "../src/options/parameters.ts";
import { median } from "@triptych/util";
import { loadTrunk } from "../src/trunk/trunk.ts";
import type { HeadExample } from "../src/head/examples.ts";
import { trainHead } from "../src/head/train-head.ts";
import { openOptionsScorer } from "../src/options/load-options.ts";
import type { OptionEntry } from "../src/options/option.ts";
import { readParaphrases } from "../training/paraphrases.ts";
import { readToolbook } from "../training/toolbook.ts";
import { ms, progress, type Figures } from "./report.ts";

const ROUTES = 77;
const TEXTS = 50;
const OPTIONS = 255;
const HEAD_BAR_MS = 10_000;
/** Frames for wordings, because some groups have fewer than 50. */
const FRAMES = ["{}", "hello, {}", "please: {}", "{} thanks", "bonjour, {}", "{} merci"];

export interface HeadPlan {
  readonly rounds: number;
  read(name: string): Uint8Array;
}

export function measureHead({ rounds, read }: HeadPlan): Figures {
  const trunk = loadTrunk(read("trunk.tptk"));
  const examples = examplesOf();
  const routes = [...new Set(examples.map(({ route }) => route ?? ""))].map((route) => ({ route }));
  const seconds: number[] = [];
  let accuracy = NaN;
  for (let round = 1; round <= rounds; round++) {
    const begun = performance.now();
    accuracy = Number(trainHead(trunk, { name: "bench", routes, examples }).report["accuracy"]);
    seconds.push((performance.now() - begun) / 1000);
    progress(`head of ${ROUTES} routes, round ${round}: ${seconds.at(-1)?.toFixed(1)} s`);
  }
  const trained = median(seconds);
  const { fresh, seen, decided } = measureOptions(read, rounds);
  return {
    goals: [
      {
        goal: `head, ${ROUTES} routes x ${TEXTS} texts`,
        bar: "10 s",
        measured: `${trained.toFixed(1)} s of one core; accuracy ${(100 * accuracy).toFixed(1)} %`,
        met: 1000 * trained < HEAD_BAR_MS,
      },
      {
        goal: `${OPTIONS} options never seen`,
        bar: "",
        measured: `${ms(fresh)} with new words, ${ms(seen)} with known ones`,
        met: null,
      },
      { goal: `${OPTIONS} options, kept`, bar: "", measured: `${ms(decided)} a decision`, met: null },
    ],
    tables: [],
  };
}

/** All texts of a wording, framed or not, stay together in cross-fitting. */
function examplesOf(): HeadExample[] {
  const groups = [...Map.groupBy(readParaphrases(), ({ group }) => group)]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .slice(0, ROUTES);
  return groups.flatMap(([group, wordings]) =>
    FRAMES.flatMap((frame) =>
      wordings.map(({ text }) => ({ text: frame.replace("{}", () => text), route: group, group: text })),
    ).slice(0, TEXTS),
  );
}

/** Each round prepares other options, once with an engine without cached words and once with all words cached. */
function measureOptions(read: HeadPlan["read"], rounds: number) {
  const fresh: number[] = [];
  const seen: number[] = [];
  const decided: number[] = [];
  const tools = toolOptions();
  const warm = loadTrunk(read("trunk.tptk"));
  const warmScorer = openOptionsScorer(read("options.tpos"), warm);
  for (const { description } of tools) warm.encode(description);
  for (let round = 0; round < rounds; round++) {
    const options = Array.from({ length: OPTIONS }, (_, n) => tools[(round * OPTIONS + n) % tools.length]);
    const trunk = loadTrunk(read("trunk.tptk"));
    const scorer = openOptionsScorer(read("options.tpos"), trunk);
    fresh.push(timed(() => scorer.vocabulary(options)));
    seen.push(timed(() => warmScorer.vocabulary(options)));
    const vocabulary = warmScorer.vocabulary(options);
    for (let call = 0; call < 100; call++) {
      const encoding = warm.encode(`${tools[call].label} please`);
      decided.push(timed(() => warmScorer.decide(encoding, vocabulary)));
    }
  }
  return { fresh: median(fresh), seen: median(seen), decided: median(decided) };
}

/** Distinct tool names of the toolbook; families may share names. */
export function toolOptions(): OptionEntry[] {
  const tools = readToolbook().flatMap((family) => family.tools);
  return [...new Map(tools.map((tool) => [tool.name, tool])).values()].map(({ name, description, parameters }) => ({
    label: name,
    description,
    parameters: parameters.map(plainParameter),
    examples: [],
  }));
}

function timed(work: () => unknown): number {
  const begun = performance.now();
  work();
  return performance.now() - begun;
}
