/** The report of an import. Invariant, per file and in total: read = accepted + rejected. Repaired and replaced rows count as accepted. */
import { RULE_NAMES, type RuleAction, type RuleEvent, type RuleName } from "./rules.ts";

export interface ImportCounts {
  read: number;
  accepted: number;
  repaired: number;
  replaced: number;
  rejected: number;
}

export interface FileReport extends ImportCounts {
  path: string;
  format: string;
  encoding: string;
  separator: string | null;
}

export interface RuleExample {
  readonly line: number;
  readonly column: string | null;
  readonly value: string | null;
  readonly result: string | null;
}

export interface RuleReport {
  count: number;
  action: RuleAction;
  examples: RuleExample[];
}

export interface ImportReport {
  readonly files: readonly FileReport[];
  readonly totals: ImportCounts;
  readonly rules: Readonly<Record<string, RuleReport>>;
  readonly published: string | null;
}

const EXAMPLES_MAX = 20;

export interface ReportWriter {
  file(about: Pick<FileReport, "path" | "format" | "encoding" | "separator">): void;
  /** The encoding is final only at the end of the file. */
  fileRead(encoding: string): void;
  accepted(row: { readonly repaired: boolean; readonly replaces: boolean }): void;
  rejected(): void;
  events(events: readonly RuleEvent[]): void;
  /** `late`: events known only after all rows. Callable repeatedly. */
  report(published: string | null, late?: readonly RuleEvent[]): ImportReport;
}

export function createReport(): ReportWriter {
  const files: FileReport[] = [];
  const rules = new Map<RuleName, RuleReport>();
  let file: FileReport | undefined;

  return {
    file({ path, format, encoding, separator }) {
      file = { path, format, encoding, separator, read: 0, accepted: 0, repaired: 0, replaced: 0, rejected: 0 };
      files.push(file);
    },
    fileRead(encoding) {
      if (file !== undefined) file.encoding = encoding;
    },
    accepted({ repaired, replaces }) {
      if (file === undefined) return;
      file.read++;
      file.accepted++;
      if (repaired) file.repaired++;
      if (replaces) file.replaced++;
    },
    rejected() {
      if (file === undefined) return;
      file.read++;
      file.rejected++;
    },
    events(events) {
      for (const event of events) addTo(rules, event);
    },
    report(published, late = []) {
      const all = new Map(Array.from(rules, ([name, rule]) => [name, { ...rule, examples: [...rule.examples] }]));
      for (const event of late) addTo(all, event);
      const ordered = RULE_NAMES.flatMap((name) => {
        const rule = all.get(name);
        return rule === undefined ? [] : [[name, rule] as const];
      });
      return {
        files: files.map((file) => ({ ...file })),
        totals: totalsOf(files),
        rules: Object.fromEntries(ordered),
        published,
      };
    },
  };
}

function addTo(rules: Map<RuleName, RuleReport>, { rule, action, line, column, value, result }: RuleEvent): void {
  const entry = rules.get(rule) ?? { count: 0, action, examples: [] };
  entry.count++;
  if (entry.examples.length < EXAMPLES_MAX) entry.examples.push({ line, column, value, result });
  rules.set(rule, entry);
}

function totalsOf(files: readonly FileReport[]): ImportCounts {
  const totals: ImportCounts = { read: 0, accepted: 0, repaired: 0, replaced: 0, rejected: 0 };
  for (const file of files) {
    totals.read += file.read;
    totals.accepted += file.accepted;
    totals.repaired += file.repaired;
    totals.replaced += file.replaced;
    totals.rejected += file.rejected;
  }
  return totals;
}

export type RejectLimit = { readonly rows: number } | { readonly percent: number };

export const DEFAULT_REJECT_LIMIT: RejectLimit = { percent: 5 };

/** Null unless a whole number or a percentage from 0 to 100. */
export function parseRejectLimit(text: string): RejectLimit | null {
  const percent = /^(\d{1,3}(?:\.\d+)?)\s*%$/.exec(text.trim());
  if (percent !== null) return Number(percent[1]) <= 100 ? { percent: Number(percent[1]) } : null;
  return /^\d{1,9}$/.test(text.trim()) ? { rows: Number(text) } : null;
}

export function isOverLimit({ read, rejected }: ImportCounts, limit: RejectLimit): boolean {
  return "rows" in limit ? rejected > limit.rows : rejected * 100 > limit.percent * read;
}
