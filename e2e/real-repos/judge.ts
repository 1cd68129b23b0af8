/** What must be true of the outcomes, and the table that shows them. */
import type { Candidate } from "./client.ts";

export interface Fix {
  readonly title: string;
  readonly isPushed: boolean;
}

export interface Verdict {
  readonly name: string;
  readonly kind: "npm" | "other";
  /** For other ecosystems: the baselines accepted on this machine. */
  readonly expected: readonly string[];
  readonly hasRedTests: boolean;
  readonly setup: string | null;
  readonly baseline: string;
  readonly candidates: readonly Candidate[];
  /** Candidates that are fixed without a model, and were run. */
  readonly fixes: readonly Fix[];
  /** The pushed branch of the command run passed its checks. */
  readonly isPushed: boolean;
  /** Why something did not end as it should. */
  readonly problems: readonly string[];
  readonly seconds: number;
}

/** Titles that were proposed by mistake before, and must not come back. Every other title is judged by its reader. */
const WRONG_PATTERNS: readonly RegExp[] = [
  /tests for (?:.*\/)?index\.[cm]?[jt]s$/i,
  /TODO\.md/,
  /type: ?ignore|@ts-(?:ignore|expect-error)/,
  /next major version/i,
];
/** Wrong where the tests pass. */
const FAILING_TESTS = /(?:pytest|go test|npm test|npm run \S+)`? (?:fails|pass)/i;
const GREEN_SHARE = 9 / 12;
const FIXED_SHARE = 0.9;
export const UNAVAILABLE = "checks_unavailable";

/** Prints what holds and what does not; 0 where all of it holds. A group without a project holds nothing. */
export function judge(verdicts: readonly Verdict[]): number {
  const npm = verdicts.filter(({ kind }) => kind === "npm");
  const others = verdicts.filter(({ kind }) => kind === "other");
  const green = npm.filter(({ baseline }) => baseline === "green").length;
  const unknown = npm.filter(
    ({ baseline, hasRedTests }) =>
      baseline !== "green" && baseline !== UNAVAILABLE && !(hasRedTests && baseline.startsWith("red")),
  );
  const fixes = verdicts.flatMap((candidate) => candidate.fixes);
  const pushed = fixes.filter(({ isPushed }) => isPushed).length;
  const named = others.filter(({ baseline, expected }) => expected.includes(baseline)).length;
  const delivered = npm.filter(({ isPushed }) => isPushed).length;
  const wrong = verdicts.flatMap(({ name, candidates, hasRedTests }) =>
    candidates.flatMap(({ title }) => {
      const patterns = hasRedTests ? WRONG_PATTERNS : [...WRONG_PATTERNS, FAILING_TESTS];
      return patterns.some((pattern) => pattern.test(title)) ? [`${name}: ${title}`] : [];
    }),
  );
  const proposed = verdicts.reduce((sum, { candidates }) => sum + candidates.length, 0);
  const figures: readonly (readonly [isMet: boolean, text: string])[] = [
    [npm.length > 0 && green >= npm.length * GREEN_SHARE, `green baseline, untouched: ${green} of ${npm.length}`],
    [
      unknown.length === 0,
      `neither green, nor red for a reason, nor "${UNAVAILABLE}": ${unknown.map(({ name }) => name).join(", ") || "0"}`,
    ],
    [
      others.length > 0 && named === others.length,
      `other ecosystems: "${UNAVAILABLE}" without a toolchain, else green: ${named} of ${others.length}`,
    ],
    [delivered >= green, `pushed branches of command runs that pass their checks: ${delivered} of ${green}`],
    [wrong.length === 0, `known wrong candidates: ${wrong.join(", ") || "0"} of ${proposed}`],
    [
      fixes.length > 0 && pushed >= fixes.length * FIXED_SHARE,
      `auto-fixable candidates pushed, checks pass: ${pushed} of ${fixes.length}`,
    ],
  ];
  for (const [isMet, text] of figures) process.stdout.write(`${isMet ? "ok  " : "FAIL"} ${text}\n`);
  return figures.every(([isMet]) => isMet) ? 0 : 1;
}

/** Writes the table of docs/benchmarks.md. */
export function tableOf(verdicts: readonly Verdict[]): string {
  const head = ["Project", "setup", "baseline", "candidates", "auto-fixable, pushed", "seconds"];
  const rows = verdicts.map(({ name, setup, baseline, candidates, fixes, seconds }) => {
    const pushed = fixes.filter(({ isPushed }) => isPushed).length;
    return [name, setup ?? "none", baseline, candidates.length, `${fixes.length}, ${pushed}`, seconds];
  });
  const lines = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  return lines.join("\n");
}
