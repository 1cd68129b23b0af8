/** What must be true of the outcomes, and the table that shows them in 100 columns. */
export interface Verdict {
  readonly name: string;
  readonly isUncheckable: boolean;
  readonly setup: string | null;
  readonly baseline: string;
  readonly candidates: readonly string[];
  /** Null where no candidate can be fixed without a model. */
  readonly mended: boolean | null;
  readonly note: string;
  readonly seconds: number;
}

/** Titles that were proposed by mistake before, and must not come back. */
const KNOWN_WRONG: readonly RegExp[] = [
  /(?:pytest|go test|npm test|npm run \S+) fails/i,
  /(?:^|\/)index\.[cm]?[jt]s has no test/i,
  /TODO\.md/,
  /type: ?ignore|@ts-(?:ignore|expect-error)/,
  /next major version/i,
];
const GREEN_SHARE = 9 / 12;
const MENDED_SHARE = 0.9;
const UNCHECKABLE = "checks_unavailable";

/** Answers the exit code, and says what does not hold. */
export function judge(verdicts: readonly Verdict[]): number {
  const checkable = verdicts.filter(({ isUncheckable }) => !isUncheckable);
  const uncheckable = verdicts.filter(({ isUncheckable }) => isUncheckable);
  const green = checkable.filter(({ baseline }) => baseline === "green").length;
  const tried = verdicts.filter(({ mended }) => mended !== null);
  const mended = tried.filter((one) => one.mended === true).length;
  const named = uncheckable.filter(({ baseline }) => baseline === UNCHECKABLE).length;
  const wrong = verdicts.flatMap(({ name, candidates }) =>
    candidates.filter(isWrong).map((title) => `${name}: ${title}`),
  );
  const figures = [
    [green >= checkable.length * GREEN_SHARE, `baseline green without a hand: ${green} of ${checkable.length}`],
    [named === uncheckable.length, `"${UNCHECKABLE}" where it must be: ${named} of ${uncheckable.length}`],
    [wrong.length === 0, `known wrong candidates: ${wrong.length === 0 ? "0" : wrong.join(", ")}`],
    [mended >= tried.length * MENDED_SHARE, `auto-fixable candidates pushed: ${mended} of ${tried.length}`],
  ] as const;
  for (const [isGood, text] of figures) process.stdout.write(`${isGood ? "ok  " : "FAIL"} ${text}\n`);
  return figures.every(([isGood]) => isGood) ? 0 : 1;
}

function isWrong(title: string): boolean {
  return KNOWN_WRONG.some((pattern) => pattern.test(title));
}

export function tableOf(verdicts: readonly Verdict[]): string {
  return verdicts.map(rowOf).join("\n");
}

const WIDTH = 100;

function rowOf({ name, setup, baseline, candidates, mended, note, seconds }: Verdict): string {
  const fixed = mended === null ? "-" : mended ? "pushed" : "no";
  const cells = [name.padEnd(13), (setup ?? "no setup").slice(0, 15).padEnd(15), baseline.slice(0, 18).padEnd(18)];
  const rest = [String(candidates.length).padStart(3), fixed.padEnd(6), `${seconds} s`.padStart(6), note];
  return [...cells, ...rest].join(" ").replaceAll("\n", " ").slice(0, WIDTH);
}
