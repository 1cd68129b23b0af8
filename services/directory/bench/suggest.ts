/**
 * Measures suggestions: p50 and p99 over generated items, and judged beginnings over the files of docs/mappings.
 * Usage: node services/directory/bench/suggest.ts [items, default 100000] [folder of the files]
 */
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { quantile } from "@triptych/util";
import type { Catalogue, StoredItem, TagLabel } from "../src/domain/catalogue.ts";
import { suggestWords } from "../src/domain/suggestions.ts";
import { openStore } from "../src/store/open-store.ts";
import { openInMemory } from "../test/support/open-in-memory.ts";
import { seeded } from "../test/support/random.ts";
import { runCommand } from "../test/support/run-command.ts";
import { benchData } from "./generated-items.ts";
import { PREFIXES } from "./suggest-prefixes.ts";

const QUERIES = 2000;
const FILES = [
  ["culture-communes-basilic.tsv", "basilic", "place"],
  ["musees-de-france-base-museofile.csv", "museofile", "place"],
  ["bnlc-.csv", "bnlc", "place"],
  ["map_bzh_fablab.geojson", "fablabs", "actor"],
] as const;

async function measure(items: number): Promise<void> {
  const data = benchData(items);
  const catalogue = await openInMemory(data.items(), data.tagLabels);
  const random = seeded(7);
  const texts = [];
  // A million items as objects would need gigabytes, so that only some are kept.
  for (const item of data.items()) if (random.chance((QUERIES * 1.1) / items)) texts.push(beginning(item, random));
  for (const text of texts.slice(0, 200)) await catalogue.suggest({ text, types: [], limit: 10 });
  const times: number[] = [];
  for (const text of texts) {
    // The fastest of three: other processes on the machine must not count.
    let fastest = Infinity;
    for (let run = 0; run < 3; run++) {
      const started = performance.now();
      await catalogue.suggest({ text, types: [], limit: 10 });
      fastest = Math.min(fastest, performance.now() - started);
    }
    times.push(fastest);
  }
  const [p50, p99, worst] = [quantile(times, 0.5), quantile(times, 0.99), Math.max(...times)].map((ms) =>
    ms.toFixed(2),
  );
  say(`${items} items: p50 ${p50} ms, p99 ${p99} ms, slowest ${worst} ms`);
}

/** The beginning of a title or commune, with its words in any order and a typo in some. */
function beginning({ item }: StoredItem, random: ReturnType<typeof seeded>): string {
  const words = suggestWords(random.chance(0.7) ? item.title : (item.commune?.nom ?? item.title));
  const text = (random.chance(0.2) ? words.toReversed() : words).join(" ");
  const typed = text.slice(0, 1 + random.below(Math.min(text.length, 25)));
  if (!random.chance(0.25)) return typed;
  const at = random.below(typed.length);
  return typed.slice(0, at) + random.pick(["e", "x", ""]) + typed.slice(at + 1);
}

async function judge(folder: string): Promise<void> {
  const catalogue = await importAll(folder);
  let right = 0;
  for (const [typed, ...expected] of PREFIXES) {
    const [first, ...others] = await catalogue.suggest({ text: typed, types: [], limit: 5 });
    if (first !== undefined && expected.includes(first.text)) right++;
    else say(`  ${typed}: ${[first, ...others].map((found) => `${found?.kind} ${found?.text}`).join(" | ")}`);
  }
  say(`first suggestion right for ${right} of ${PREFIXES.length} beginnings`);
}

async function importAll(folder: string): Promise<Catalogue> {
  const data = await mkdtemp(join(tmpdir(), "triptych-suggest-"));
  try {
    for (const [file, mapping, type] of FILES) {
      const map = resolve("docs/mappings", `${mapping}.json`);
      const { code, stderr } = await runCommand(["import", join(folder, file), "--type", type, "--map", map], { data });
      if (code !== 0) throw new Error(stderr);
    }
    await using store = await openStore(
      { TRIPTYCH_DATA: data, DIRECTORY_ENGINE: "memory" },
      { report: () => {}, now: () => Date.now() },
    );
    const { versions } = store.directory;
    const number = (await versions.published())?.number ?? 0;
    const items = await Array.fromAsync(versions.items(number));
    const labels: readonly TagLabel[] = await versions.labels(number);
    return await openInMemory(items, labels);
  } finally {
    await rm(data, { recursive: true, force: true });
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

const [items = "100000", folder] = process.argv.slice(2);
if (Number(items) > 0) await measure(Number(items));
if (folder !== undefined && existsSync(folder)) await judge(folder);
else say("judged beginnings skipped: give the folder of the files of docs/mappings");
