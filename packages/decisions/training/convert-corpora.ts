/**
 * `npm run convert:corpora -- --from folder --to folder`: converts training texts of foreign bots into sets for
 * `npm run eval -- --data folder`. Each subfolder of --from is a bot; a name that ends in `-fr` is French. Each bot
 * becomes a set, a set with two to four texts per label (`-few`) and an imbalanced set (`-skewed`).
 */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readIntents } from "./corpora/read-intents.ts";
import {
  cleanRows,
  countsOf,
  fewShot,
  OUTSIDE_LABEL,
  skewed,
  splitCorpus,
  strangersIn,
  type SplitCorpus,
} from "./corpora/split-corpus.ts";
import { openDataFolder } from "./data-folder.ts";
import type { Labelled } from "./labelled-rows.ts";

const { values } = parseArgs({ options: { from: { type: "string" }, to: { type: "string" } } });
const { from, to } = values;
if (from === undefined || to === undefined)
  throw new Error("Usage: npm run convert:corpora -- --from folder --to folder");
if (!existsSync(from)) throw new Error(`${from} does not exist.`);
/** A head needs several labels, and a test enough rows for a metric. */
const LABELS_MIN = 3;
const TEST_MIN = 20;
/** Sets with fewer texts per label are few-shot sets already. */
const MANY_PER_LABEL = 6;

const data = openDataFolder();
if (data === null) throw new Error("The training data folder is missing; set TRIPTYCH_ROUTING_DATA.");
const bots = new Map(
  readdirSync(from, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => [name, cleanRows(readIntents(join(from, name)), data.isHeldOut)] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1)),
);
rmSync(join(to, "intents"), { recursive: true, force: true });
for (const [name, rows] of bots) {
  const split = splitCorpus(rows, strangersOf(name));
  const labels = countsOf(split.train).size;
  if (labels < LABELS_MIN || split.test.length < TEST_MIN) {
    process.stdout.write(`${name}: skipped, ${labels} labels and ${split.test.length} test rows\n`);
    continue;
  }
  writeSet(name, split);
  if (split.train.length < labels * MANY_PER_LABEL) continue;
  writeSet(`${name}-few`, fewShot(split));
  writeSet(`${name}-skewed`, skewed(split));
}

function strangersOf(target: string): readonly Labelled[] {
  return [...bots].flatMap(([name, rows]) =>
    name === target || languageOf(name) !== languageOf(target) || (isSmallTalk(name) && isSmallTalk(target))
      ? []
      : strangersIn(rows),
  );
}

function languageOf(name: string): string {
  return /-([a-z]{2})$/.exec(name)?.[1] ?? "en";
}

function isSmallTalk(name: string): boolean {
  return /smalltalk|chitchat|general/.test(name);
}

function writeSet(name: string, { train, test }: SplitCorpus): void {
  const folder = join(to ?? "", "intents", name);
  mkdirSync(folder, { recursive: true });
  for (const [file, rows] of Object.entries({ train, test }))
    writeFileSync(join(folder, `${file}.jsonl`), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  const outside = test.filter(({ label }) => label === OUTSIDE_LABEL).length;
  const counts = [...countsOf(train).values()];
  process.stdout.write(
    `${name}: ${counts.length} labels of ${Math.min(...counts)} to ${Math.max(...counts)} texts, ${train.length} train, ${test.length - outside} test, ${outside} out of scope\n`,
  );
}
