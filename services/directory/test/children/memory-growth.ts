/**
 * Measures the memory per row of an import and per item of an index build, between the first quarter and the end of a
 * run, after a collection each. Prints JSON. Run with `--expose-gc` in its own process, because other garbage
 * would be counted.
 */
import { createImport } from "../../src/domain/import/import-run.ts";
import { EMPTY_SLUG_STORE } from "../../src/domain/import/slug-registry.ts";
import { buildIndex } from "../../src/domain/index/build.ts";
import { storedItem } from "../support/stored-item.ts";

const ROWS = 40_000;
const FIRST = ROWS / 4;

interface Growth {
  /** Bytes per row: heap, and total. */
  readonly heap: number;
  readonly all: number;
}

interface MemoryUsage {
  readonly heap: number;
  readonly all: number;
}

function readMemoryUsage(): MemoryUsage {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return { heap: heapUsed, all: heapUsed + external };
}

function growth(before: MemoryUsage): Growth {
  const after = readMemoryUsage();
  const rows = ROWS - FIRST;
  return { heap: (after.heap - before.heap) / rows, all: (after.all - before.all) / rows };
}

async function* file(): AsyncGenerator<Uint8Array> {
  yield Buffer.from("id,name,text\n");
  for (let row = 0; row < ROWS; row += 500) {
    const lines = Array.from({ length: 500 }, (_, index) => lineOf(row + index));
    yield Buffer.from(lines.join(""));
  }
}

function lineOf(row: number): string {
  // Most rows request a slug that another row has.
  return `source-${row},Musée des arts et traditions ${row % 10_000},Un texte de quelques mots sur le musée ${row}\n`;
}

async function ofImport(): Promise<Growth> {
  const run = createImport({
    type: "place",
    mapping: { id: "id", title: "name", description: "text" },
    now: new Date(0),
    slugs: EMPTY_SLUG_STORE,
    outlines: null,
  });
  const opened = await run.open({ path: "rows.csv", bytes: file() });
  let seen = 0;
  let first: MemoryUsage | null = null;
  for await (const outcomes of run.rows(opened)) {
    seen += outcomes.length;
    if (seen >= FIRST) first ??= readMemoryUsage();
  }
  if (first === null || seen !== ROWS) throw new Error(`${seen} rows came out`);
  const grown = growth(first);
  // Keeps the import and its data alive up to here.
  if (run.report(null).totals.accepted !== ROWS) throw new Error("not every row was accepted");
  return grown;
}

async function ofBuild(): Promise<Growth> {
  let grown: Growth | null = null;
  async function* items() {
    let first: MemoryUsage | null = null;
    for (let row = 0; row < ROWS; row++) {
      if (row === FIRST) first = readMemoryUsage();
      const id = String(row).padStart(6, "0");
      yield storedItem({ id, title: `Musée ${row % 5000} des arts et des traditions populaires`, tags: ["arts"] });
    }
    if (first !== null) grown = growth(first);
  }
  await buildIndex({ items: items(), tagLabels: [] }, { append: async () => {} });
  if (grown === null) throw new Error("no items passed");
  return grown;
}

process.stdout.write(JSON.stringify({ import: await ofImport(), build: await ofBuild() }));
