/**
 * Benchmarks converting rows to items, on generated rows like Museofile's (23 columns, 2 KB of French text each) and
 * BASILIC's (11 short columns). Measures reading, mapping, both together, and optionally the memory of a long file.
 *
 * node services/directory/bench/import-mapping.ts [rows=20000] node services/directory/bench/import-mapping.ts memory
 * 1000000
 */
import { compileMapping } from "../src/domain/import/map-row.ts";
import { createImport } from "../src/domain/import/import-run.ts";
import { readMapping, type Mapping } from "../src/domain/import/mapping.ts";
import { EMPTY_SLUG_STORE } from "../src/domain/import/slug-registry.ts";
import { openTable } from "../src/domain/import/open-table.ts";
import { notesOf } from "../src/domain/import/rules.ts";
import type { Row } from "../src/domain/import/table.ts";

const SENTENCE =
  "Situé dans le parc de l’ancien château, le musée réunit des œuvres d’art léguées à la ville en 1927 ; il est un des rares " +
  "exemples d’architecture préfabriquée du XIXème siècle. Les collections furent constituées par dons et par achats successifs. ";
const DEPARTEMENTS = ["Ain", "Côtes-d'Armor", "Hauts-de-Seine", "Réunion", "Pyrénées-Orientales", "Val-d'Oise"];
const NOW = "2026-11-20T00:00:00.000Z";

interface Case {
  readonly name: string;
  readonly path: string;
  readonly header: string;
  readonly row: (number: number) => string;
  readonly mapping: Mapping;
}

const museum: Case = {
  name: "long texts (Museofile)",
  path: "museums.csv",
  header:
    "Identifiant;Adresse;Artiste;Atout;Catégorie;Code Postal;Domaine thématique;Département;Date de saisie;Histoire;Intérêt;Nom officiel;Nom usage;Région;Téléphone;URL;Ville;geolocalisation",
  row: (number) =>
    [
      `M${number}`,
      `${number % 200} rue de la République`,
      "Ary Scheffer, René Ménard",
      `"${SENTENCE.repeat(2)}"`,
      "Musée de site",
      "92400",
      '"Arts décoratifs;Beaux-arts;Ethnologie;Histoire"',
      DEPARTEMENTS[number % DEPARTEMENTS.length],
      "2019-01-21",
      `"${SENTENCE.repeat(4)}"`,
      `"${SENTENCE.repeat(2)}"`,
      `musée municipal ${number}`,
      `musée ${number} de la ville`,
      "Ile-de-France",
      "01 71 05 77 92",
      `www.musee-${number}.fr`,
      `Ville ${number % 5000}`,
      `${(45 + (number % 300) / 100).toFixed(6)},${(2 + (number % 400) / 100).toFixed(6)}`,
    ].join(";"),
  mapping: mappingOf({
    source: { name: "museums", licence: "etalab-2.0" },
    id: "Identifiant",
    title: { first: ["Nom usage", "Nom officiel"] },
    description: { join: ["Atout", "Histoire", "Intérêt"], with: "\n\n" },
    website: "URL",
    phone: "Téléphone",
    created_at: "Date de saisie",
    address: { rue: "Adresse", code_postal: "Code Postal" },
    location: { from: "geolocalisation", order: "lat,lon" },
    commune: { from: "Ville", by: "name" },
    departement: { from: "Département", by: "name" },
    region: { from: "Région", by: "name" },
    tags: [{ from: "Domaine thématique", split: ";" }, "Catégorie"],
    extra: ["Artiste", "Nom officiel"],
  }),
};

const equipment: Case = {
  name: "short columns (BASILIC)",
  path: "equipment.tsv",
  header: "Commune\tNum_Dep\tRegion\tlatitude\tlongitude\tcode_insee\tkind\tnumber",
  row: (number) =>
    [
      `Commune-${number % 30_000}`,
      "01",
      "Auvergne-Rhône-Alpes",
      (45.6 + (number % 90) / 100).toFixed(10),
      (4.8 + (number % 130) / 100).toFixed(11),
      `${1001 + (number % 400)}.0`,
      `Bibliothèque ${Math.floor(number / 400)}`,
      "3.0",
    ].join("\t"),
  mapping: mappingOf({
    source: { name: "equipment" },
    id: ["code_insee", "kind"],
    title: { template: "{kind} - {@commune}" },
    location: { lat: "latitude", lon: "longitude" },
    commune: { from: "code_insee", by: "code", nom: "Commune" },
    departement: { from: "Num_Dep", by: "code" },
    region: { from: "Region", by: "name" },
    tags: ["kind"],
    extra: [{ from: "number", type: "number" }],
  }),
};

const [first = "20000", second = "1000000"] = process.argv.slice(2);
if (first === "memory") await measureMemory(Number(second));
else for (const benchCase of [museum, equipment]) await measure(benchCase, Number(first));

async function measure(benchCase: Case, rows: number): Promise<void> {
  const best = { reading: 0, mapping: 0, together: 0 };
  for (let round = 0; round < 5; round++) {
    const table = await openTable(benchCase.path, fileOf(benchCase, rows));
    const all: Row[] = [];
    best.reading = Math.max(
      best.reading,
      rows /
        (await seconds(async () => {
          for await (const batch of table.rows) all.push(...batch);
        })),
    );
    const source = { name: "bench", url: null, licence: null, retrieved_at: null };
    const context = {
      columns: table.columns,
      type: "place" as const,
      source,
      now: NOW,
      dropBadLocation: false,
      outlines: null,
    };
    const map = compileMapping(benchCase.mapping, context);
    best.mapping = Math.max(
      best.mapping,
      rows /
        (await seconds(async () => {
          for (const row of all) map(row, notesOf(row.line));
        })),
    );
    best.together = Math.max(best.together, rows / (await seconds(() => importAll(benchCase, rows))));
  }
  const rate = (value: number): string => Math.round(value).toLocaleString("en-US").padStart(9);
  say(`${benchCase.name}: ${rows} rows, best of 5, rows per CPU second`);
  say(
    `  reading  ${rate(best.reading)}\n  mapping  ${rate(best.mapping)}\n  together ${rate(best.together)} (with slugs, tags and report)`,
  );
}

async function measureMemory(rows: number): Promise<void> {
  let highest = 0;
  const time = await seconds(() =>
    importAll(equipment, rows, () => (highest = Math.max(highest, process.memoryUsage.rss()))),
  );
  say(`${rows} rows in ${time.toFixed(1)} CPU seconds, at most ${Math.round(highest / 2 ** 20)} MiB of memory`);
}

async function importAll(benchCase: Case, rows: number, onBatch: () => void = () => {}): Promise<void> {
  const run = createImport({
    type: "place",
    mapping: benchCase.mapping,
    now: new Date(NOW),
    slugs: EMPTY_SLUG_STORE,
    outlines: null,
  });
  const opened = await run.open({ path: benchCase.path, bytes: fileOf(benchCase, rows) });
  for await (const batch of run.rows(opened)) if (batch.length > 0) onBatch();
  const { totals } = run.report(null);
  if (totals.accepted !== rows) throw new Error(`${totals.accepted} of ${rows} rows accepted`);
}

async function* fileOf({ header, row }: Case, rows: number): AsyncGenerator<Uint8Array> {
  let text = `${header}\n`;
  for (let number = 0; number < rows; number++) {
    text += `${row(number)}\n`;
    if (text.length < 65_536) continue;
    yield Buffer.from(text);
    text = "";
  }
  yield Buffer.from(text);
}

function mappingOf(value: unknown): Mapping {
  const read = readMapping(value);
  if ("issues" in read) throw new Error(JSON.stringify(read.issues));
  return read.mapping;
}

/** CPU seconds of the whole process, including garbage collection; other load changes them little. */
async function seconds(work: () => Promise<void>): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
