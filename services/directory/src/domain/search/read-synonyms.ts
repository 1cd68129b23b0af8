/** Reads lists of equivalent terms: CSV, one group a line. */
import { parse } from "csv-parse/sync";
import { analyse } from "../analyse.ts";

const GROUPS_MAX = 5000;
const GROUP_TERMS_MAX = 50;
const PHRASE_WORDS_MAX = 8;
const PHRASE_LETTERS_MAX = 100;
const ISSUES_MAX = 100;

export interface ReadSynonyms {
  readonly groups: readonly (readonly string[])[];
  /** Each names its line; the list is valid without any. */
  readonly issues: readonly string[];
}

/** Empty lines and lines that begin with `#` are ignored; the separator is `,` or, if the text has none, `;`. */
export function readSynonyms(text: string): ReadSynonyms {
  const issues: string[] = [];
  const groups: string[][] = [];
  let rows: ParsedRow[];
  try {
    rows = parse(text, {
      bom: true,
      comment: "#",
      comment_no_infix: true,
      delimiter: text.includes(",") ? "," : ";",
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
      // The declared type leaves out the option `info`.
    }) as unknown as ParsedRow[];
  } catch (error) {
    return { groups, issues: [error instanceof Error ? error.message : String(error)] };
  }
  for (const { record, info } of rows) {
    const terms = [...new Set(record.filter((term) => term !== ""))];
    const found = issuesOf(terms).map((issue) => `line ${info.lines}: ${issue}`);
    issues.push(...found);
    if (found.length === 0) groups.push(terms);
  }
  if (groups.length > GROUPS_MAX) issues.push(`${groups.length} groups; at most ${GROUPS_MAX} are allowed`);
  if (rows.length === 0) issues.push("the file has no group");
  return { groups, issues: issues.slice(0, ISSUES_MAX) };
}

interface ParsedRow {
  readonly record: string[];
  readonly info: { readonly lines: number };
}

function issuesOf(terms: readonly string[]): string[] {
  const issues: string[] = [];
  if (terms.length < 2) issues.push("a group must have at least two different terms");
  if (terms.length > GROUP_TERMS_MAX) issues.push(`${terms.length} terms; at most ${GROUP_TERMS_MAX} are allowed`);
  for (const term of terms) {
    const quoted = `"${term.slice(0, 40)}"`;
    const words = analyse(term);
    if (words.length === 0) issues.push(`${quoted} has no letter or digit`);
    else if (words.every(({ stop }) => stop)) issues.push(`${quoted} has only stop words`);
    if (words.length > PHRASE_WORDS_MAX) issues.push(`${quoted} has more than ${PHRASE_WORDS_MAX} words`);
    if (term.length > PHRASE_LETTERS_MAX) issues.push(`${quoted} has more than ${PHRASE_LETTERS_MAX} characters`);
  }
  return issues;
}
