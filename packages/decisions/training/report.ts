/**
 * The evaluation report `reports/eval.json`, its validation, and the model card generated from it. The report contains
 * all metrics without rounding; tables show some of them rounded.
 */
import { isRecord } from "@triptych/util";
import type { Column, Row } from "./table.ts";
import { formatCell } from "./table.ts";
import type { TestFile } from "./test-folder.ts";

export interface ReportTable {
  readonly columns: readonly Column[];
  readonly rows: Row[];
}

export interface Report {
  readonly version: 2;
  readonly quick: boolean;
  /** False while the evaluation runs; the report then contains the results so far. */
  complete: boolean;
  readonly seeds: readonly number[];
  readonly machine: { readonly cpu: string; readonly cores: number; readonly node: string; readonly load: number };
  readonly trunk: string;
  readonly tables: Record<string, ReportTable>;
  /** The test splits that were read, and those that are missing. */
  readonly tests: { readonly read: readonly TestFile[]; readonly heldBack: string[]; unread: readonly string[] };
  readonly failures: { readonly what: string; readonly why: string }[];
}

/** Returns all issues of a report; none if it is valid. */
export function reportFaults(value: unknown): string[] {
  if (!isRecord(value)) return ["The report is not an object."];
  const faults: string[] = [];
  const expect = (holds: boolean, sentence: string): void => void (holds || faults.push(sentence));
  expect(value["version"] === 2, "version is not 2.");
  expect(typeof value["quick"] === "boolean", "quick is not a boolean.");
  expect(typeof value["complete"] === "boolean", "complete is not a boolean.");
  const { seeds, machine, trunk, tables, tests, failures } = value;
  expect(Array.isArray(seeds) && seeds.length > 0 && seeds.every(Number.isInteger), "seeds are not integers.");
  expect(
    isRecord(machine) &&
      typeof machine["cpu"] === "string" &&
      typeof machine["node"] === "string" &&
      isCount(machine["cores"]) &&
      typeof machine["load"] === "number",
    "machine lacks cpu, cores, node or load.",
  );
  expect(isHash(trunk), "trunk is not a SHA-256.");
  expect(
    isRecord(tests) &&
      Array.isArray(tests["read"]) &&
      tests["read"].every(isTestFile) &&
      [tests["heldBack"], tests["unread"]].every(isNames),
    "tests lack read, heldBack or unread.",
  );
  expect(
    Array.isArray(failures) &&
      failures.every((item) => isRecord(item) && typeof item["what"] === "string" && typeof item["why"] === "string"),
    "failures lack what or why.",
  );
  if (!isRecord(tables)) return [...faults, "tables is not an object."];
  return [...faults, ...Object.entries(tables).flatMap(([name, table]) => tableFaults(name, table))];
}

function tableFaults(name: string, table: unknown): string[] {
  if (!isRecord(table) || !Array.isArray(table["columns"]) || !Array.isArray(table["rows"]))
    return [`${name} has no columns and rows.`];
  const columns: readonly unknown[] = table["columns"];
  const rows: readonly unknown[] = table["rows"];
  const keys = new Set(columns.flatMap((column) => (isRecord(column) ? [column["key"]] : [])));
  if (keys.size !== columns.length) return [`${name} has columns without a key of their own.`];
  return rows.flatMap((row, index) => {
    if (!isRecord(row)) return [`${name}, row ${index + 1} is not an object.`];
    const odd = Object.entries(row).flatMap(([key, cell]) => (isCell(cell) ? [] : [key]));
    const first = [...keys][0];
    const nameless = typeof first === "string" && typeof row[first] !== "string" ? [first] : [];
    return [...odd, ...nameless].map(
      (key) => `${name}, row ${index + 1}: ${key} is not a text, number or list of numbers.`,
    );
  });
}

/** The model card of the whole engine as Markdown; each head has its own. */
export function modelCard(report: Report): string {
  const { machine, trunk, seeds, tests, failures } = report;
  return [
    "# Decision engine: what it was judged by",
    `Made by \`npm run eval\`${report.quick ? " in its quick form (fewer rows, one seed: no figures to publish)" : ""}, never by hand. "unseen" rows stand on a trunk that was trained without that data set; CLINC150 contains banking intents, so of BANKING77 the label set is unseen, not the topic.`,
    ...Object.entries(report.tables).flatMap(([name, { columns, rows }]) => [`## ${name}`, markdown(columns, rows)]),
    "## Held back",
    tests.heldBack.length === 0 ? "Nothing." : tests.heldBack.map((file) => `- ${file}`).join("\n"),
    ...(failures.length === 0
      ? []
      : ["## Could not be judged", failures.map(({ what, why }) => `- ${what}: ${why}`).join("\n")]),
    "## Limits",
    "A static trunk without a teacher stays eight to ten points behind pretrained encoders of few examples. Public sets are English; French is judged on the team's own phrasings. Figures of an examination's questions say little about other traffic.",
    "## Hashes",
    markdown(
      [
        { key: "name", title: "", width: 1 },
        { key: "value", title: "", width: 1 },
      ],
      [
        { name: "trunk", value: `sha256:${trunk}` },
        ...tests.read.map(({ file, sha256 }) => ({ name: file, value: `sha256:${sha256}` })),
        { name: "seeds", value: seeds.join(", ") },
        {
          name: "machine",
          value: `${machine.cpu}, ${machine.cores} cores, Node ${machine.node}, load ${machine.load}`,
        },
      ],
    ),
  ]
    .join("\n\n")
    .concat("\n");
}

function markdown(columns: readonly Column[], rows: readonly Row[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [
    line(columns.map(({ title }) => title)),
    line(columns.map(() => "---")),
    ...rows.map((row) => line(columns.map(({ key, as }) => formatCell(row[key], as)))),
  ].join("\n");
}

function isCell(value: unknown): boolean {
  if (value === null || typeof value === "string") return true;
  return Array.isArray(value) ? value.every(Number.isFinite) : Number.isFinite(value);
}

function isCount(value: unknown): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}

function isHash(value: unknown): boolean {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

function isTestFile(value: unknown): boolean {
  return (
    isRecord(value) &&
    typeof value["file"] === "string" &&
    isHash(value["sha256"]) &&
    [value["rows"], value["odd"], value["learned"]].every(isCount)
  );
}
