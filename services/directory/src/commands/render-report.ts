/** The report of an import as text for a terminal. */
import { clip, clipStart, pad, textWidth } from "@triptych/terminal";
import type { MappingIssue } from "../domain/import/mapping.ts";
import type { ImportReport, RuleExample } from "../domain/import/report.ts";
import type { RowOutcome } from "../domain/import/import-run.ts";
import { isRuleName, RULES } from "../domain/import/rules.ts";

export function unitOf(files: ImportReport["files"]): string {
  const units = new Set(files.map(({ format }) => UNITS[format] ?? "line"));
  const [unit = "line"] = units;
  return units.size > 1 ? "row" : unit;
}

const UNITS: Readonly<Record<string, string>> = { geojson: "feature", json: "entry", xlsx: "row" };
const NARROWEST = 40;
const NARROWEST_PATH = 8;
const EXAMPLES_MAX = 3;

export function renderReport(report: ImportReport, width: number): string {
  const lineWidth = Math.max(NARROWEST, width);
  const { totals } = report;
  const heads = ["file", "read", "accepted", "repaired", "replaced", "rejected"];
  const counts = (name: string, row: typeof totals): string[] => [
    name,
    ...[row.read, row.accepted, row.repaired, row.replaced, row.rejected].map((count) =>
      count.toLocaleString("en-US").replaceAll(",", " "),
    ),
  ];
  const files = report.files.map((file) => counts(file.path, file));
  const table = tableOf([heads, ...files, ...(files.length === 1 ? [] : [counts("total", totals)])], lineWidth);
  const dialects = report.files.map((file) => {
    const dialect = dialectOf(file);
    const pathWidth = Math.max(NARROWEST_PATH, lineWidth - textWidth(dialect) - 2);
    return clip(`${clipStart(file.path, pathWidth)}: ${dialect}`, lineWidth);
  });
  const rules = Object.entries(report.rules).flatMap(([name, rule]) => [
    clip(
      `${rule.action.padEnd(8)} ${String(rule.count).padStart(8)}  ${name}: ${isRuleName(name) ? RULES[name].says : ""}`,
      lineWidth,
    ),
    ...rule.examples
      .slice(0, EXAMPLES_MAX)
      .map((example) => clip(`${" ".repeat(19)}${exampleOf(example, unitOf(report.files))}`, lineWidth)),
  ]);
  const end = report.published === null ? "No version was published." : `Published as version ${report.published}.`;
  return [...table, "", ...dialects, "", ...(rules.length === 0 ? ["No problems found."] : rules), "", end].join("\n");
}

/** The first accepted rows as stored, and the reasons for rejected ones. */
export function renderPreview(outcomes: readonly RowOutcome[], width: number, unit = "line"): string {
  const lineWidth = Math.max(NARROWEST, width);
  return outcomes
    .flatMap((outcome) => {
      if (outcome.kind === "rejected") {
        const reasons = outcome.events.filter((event) => event.action === "rejected").map((event) => event.rule);
        return [`${unit} ${outcome.line}: rejected (${reasons.join(", ")})`, ""];
      }
      const { type, slug, ...fields } = outcome.item.item;
      const filled = Object.entries(fields).filter(([, value]) => isFilled(value));
      return [
        clip(`${unit} ${outcome.line}: ${type}/${slug}`, lineWidth),
        ...filled.map(([key, value]) =>
          clip(
            `  ${key.padEnd(14)} ${typeof value === "string" ? value.replaceAll("\n", " ") : JSON.stringify(value)}`,
            lineWidth,
          ),
        ),
        "",
      ];
    })
    .join("\n");
}

export function renderIssues(issues: readonly MappingIssue[]): string {
  return issues.map(({ path, message }) => `  ${path === "" ? "(whole)" : path}: ${message}`).join("\n");
}

function dialectOf({ format, encoding, separator }: ImportReport["files"][number]): string {
  if (separator === null) return `${format}, ${encoding}`;
  return `${format}, ${encoding}, separated by ${separator === "\t" ? "tabs" : `"${separator}"`}`;
}

function exampleOf({ line, column, value, result }: RuleExample, unit: string): string {
  const where = column === null ? `${unit} ${line}` : `${unit} ${line}, ${column}`;
  const change = value === null ? "" : `: ${value.replaceAll(/\s+/g, " ")}`;
  return `${where}${change}${result === null ? "" : ` -> ${result.replaceAll(/\s+/g, " ")}`}`;
}

function tableOf(rows: readonly (readonly string[])[], lineWidth: number): string[] {
  const widths = rows[0].map((_, index) => Math.max(...rows.map((row) => textWidth(row[index]))));
  const others = widths.slice(1).reduce((sum, width) => sum + width + 2, 0);
  widths[0] = Math.min(widths[0], Math.max(NARROWEST_PATH, lineWidth - others));
  return rows.map((row) =>
    clip(
      row
        .map((cell, index) =>
          index === 0 ? pad(clipStart(cell, widths[0]), widths[0], false) : pad(cell, widths[index], true),
        )
        .join("  "),
      lineWidth,
    ),
  );
}

function isFilled(value: unknown): boolean {
  if (value === null || value === "") return false;
  return typeof value !== "object" || Object.keys(value).length > 0;
}
