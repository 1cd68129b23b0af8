/** Title of a change for its commit and pull request: always a complete text, never truncated. */

/** The length that `git log --oneline` and Git hosts show in full. */
export const TITLE_MAX = 72;

export interface TitleSource {
  readonly title?: string | null | undefined;
  readonly focus: string;
  /** Result of `summarizeChange`, used if neither title nor focus fits. */
  readonly summaries: readonly string[];
  readonly prefix?: string;
}

export function titleOf({ title, focus, summaries, prefix = "" }: TitleSource): string {
  const line = firstLine(focus);
  const choices = [firstLine(title ?? ""), sentenceOf(line), clauseOf(line), ...summaries, FALLBACK];
  const start = firstLine(prefix, { isPrefix: true });
  const found = choices.find((choice) => isWhole(choice) && lengthOf(start + choice) <= TITLE_MAX);
  if (found !== undefined) return start + found;
  return titleOf({ title, focus, summaries });
}

const FALLBACK = "Update files";

/** Summaries of the changed files, from the most precise to the shortest. */
export function summarizeChange(paths: readonly string[]): readonly string[] {
  const [path] = paths;
  if (path === undefined) return [];
  const named = (name: string) => (/\p{Cc}/u.test(name) ? [] : [`Update ${name}`]);
  if (paths.length === 1) return [...named(path), ...named(path.slice(path.lastIndexOf("/") + 1)), "Update 1 file"];
  const count = `${paths.length} files`;
  const folder = commonFolder(paths);
  return [...(folder === "" ? [] : named(`${count} in ${folder}`)), `Update ${count}`].filter(
    (text) => lengthOf(text) <= TITLE_MAX,
  );
}

function commonFolder(paths: readonly string[]): string {
  const [first = [], ...others] = paths.map((path) => path.split("/").slice(0, -1));
  const end = first.findIndex((part, index) => others.some((parts) => parts[index] !== part));
  const shared = end < 0 ? first : first.slice(0, end);
  return shared.map((part) => `${part}/`).join("");
}

function firstLine(text: string, { isPrefix = false } = {}): string {
  const lines = text.split(/[\r\n]+/).map((line) => line.replaceAll(/\p{Cc}/gu, " "));
  return isPrefix ? (lines[0] ?? "").trimStart() : (lines.find((line) => line.trim() !== "")?.trim() ?? "");
}

const sentences = new Intl.Segmenter("en", { granularity: "sentence" });

function sentenceOf(line: string): string {
  const [first] = sentences.segment(line);
  return withoutPeriod(first?.segment.trim() ?? "");
}

/** "Bump a from 1.0.0 to 2.0.0, in package.json" contains a complete clause; "In sum.js, fix the sign" does not. */
function clauseOf(line: string): string {
  const [clause = ""] = sentenceOf(line).split(/[,;:] | [-\u2013\u2014] /u);
  const words = clause.trim().split(/\s+/);
  return words.length < CLAUSE_WORDS_MIN || LEADS_ON.test(clause) ? "" : withoutPeriod(clause.trim());
}

const CLAUSE_WORDS_MIN = 3;
const LEADS_ON = /^(?:after|as|at|because|before|for|from|if|in|on|once|since|to|unless|when|while|with|without)\b/i;

function withoutPeriod(text: string): string {
  return text.replace(/(?<!\.)\.$/, "");
}

/** An ellipsis marks text that was truncated earlier. */
function isWhole(text: string): boolean {
  return text !== "" && !/\u2026|\.\.\.$/u.test(text);
}

function lengthOf(text: string): number {
  return Array.from(text).length;
}
