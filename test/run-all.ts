/**
 * `npm test`: all test files in a few groups, a process each, because one process runs its files one after the other. Three groups more
 * than there are processors run at a time, because many tests wait for processes of their own; the dearest begin, so that no long one
 * is left alone at the end. Each report is printed whole, when those before it have been, so none tears another's lines. Files named as
 * arguments run alone, in one process: `npm test -- packages/server/test/requests.test.ts`.
 *
 * `npm run test:long` runs what has a long form, and nothing else: more seeds, requests, queries and kills, and the files named
 * `*.long.test.ts`, which have no short one (each page in a real browser: `test/pages.test.ts` looks at all of them once).
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/** A file belongs to the first group that names it. Stores stand together: a PGlite costs each process that starts one seconds. */
const GROUPS: readonly (readonly string[])[] = [
  [
    "services/*/test/store/**/*.test.ts",
    "services/panel/test/channel/two-nodes.test.ts",
    "packages/{storage,metering}/test/**/*.test.ts",
  ],
  ["services/panel/test/**/*.test.ts"],
  ["apps/*/test/**/*.test.ts"],
  ["services/rail/test/**/*.test.ts"],
  ["test/**/*.test.ts"],
  ["services/gateway/test/**/*.test.ts"],
  ["services/directory/test/**/*.test.ts"],
  ["services/router/test/**/*.test.ts", "packages/*/test/**/*.test.ts"],
];
/** No short form: only in the long run. */
const LONG_ONLY = "**/*.long.test.ts";
/**
 * Those that look whether `TRIPTYCH_LONG` is set, and those that have no short form. Ten years of schedules, minute by minute in six zones,
 * are three minutes of a processor and stand in `npm run bench:worker` alone.
 */
const WITH_LONG_FORM: readonly (readonly string[])[] = [
  [
    "services/directory/test/commands/import-crash.test.ts",
    "services/directory/test/{analyse,distinct-texts,engine-equality,read-words}.test.ts",
    "services/directory/test/http/fuzz.test.ts",
    "services/directory/test/import/{html,reading,real-data,slugs,values}.test.ts",
    "services/directory/test/store/editions.test.ts",
    "services/directory/test/store/postgres-catalogue.test.ts",
    "services/directory/test/**/*.long.test.ts",
  ],
  [
    "services/panel/test/store/scouts.test.ts",
    "apps/worker/test/{cuts,sandbox/container,sandbox/readers,sandbox/scouts}.test.ts",
  ],
  [
    "services/panel/test/http/fuzz.test.ts",
    "services/panel/test/chaos/kills.test.ts",
    "services/panel/test/channel/random-frames.test.ts",
    "services/panel/test/handover/{crash,hundred-callers}.test.ts",
    "services/panel/test/**/*.long.test.ts",
  ],
  [
    "services/gateway/test/chaos/kills.test.ts",
    "services/rail/test/chaos/kills.test.ts",
    "services/rail/test/http/*.test.ts",
    "services/rail/test/killed-while-creating.test.ts",
    "services/gateway/test/fuzz.test.ts",
    "services/rail/test/**/*.long.test.ts",
    "services/rail/test/sim/simulator.test.ts",
    "services/rail/test/store/differential.test.ts",
    "services/rail/test/store/wal-tails.test.ts",
    "services/router/test/http/fuzz.test.ts",
    "services/router/test/**/*.long.test.ts",
  ],
  [
    "packages/decisions/test/eval-command.test.ts",
    "packages/decisions/test/**/*.long.test.ts",
    "test/postgres.test.ts",
    "test/*.long.test.ts",
  ],
];
const FLAGS = [
  // Of PGlite's program most is never called: compiling a function when it is takes two thirds of the processor's time.
  "--wasm-lazy-compilation",
  // What is called is not called often enough to be worth a second, better compilation.
  "--liftoff-only",
  // Processors have enough to do; garbage is young, and cheapest to leave where it is until there is much: a tenth of all time.
  "--single-threaded-gc",
  "--max-semi-space-size=64",
];
const AT_ONCE = availableParallelism() + 3;
const LIMIT_MS = 120_000;
const LONG_LIMIT_MS = 1_200_000;
/** Of a group that died, this much of what it said last. */
const LAST_CHARACTERS = 2_000;
const FAILING_TESTS = "✖ failing tests:";
const ROOT = fileURLToPath(new URL("..", import.meta.url));
const GROUP = fileURLToPath(new URL("run-group.ts", import.meta.url));
const COMPILED = `${ROOT}node_modules/.cache/compiled`;

interface Ended {
  /** An exit code, or the signal that ended it. */
  readonly how: string;
  readonly report: string;
  /** The last of what it said beside its report. */
  readonly complaint: string;
}

async function run(files: readonly string[], show: (text: string) => void): Promise<Ended> {
  const limit = `--test-timeout=${long ? LONG_LIMIT_MS : LIMIT_MS}`;
  const child = spawn(process.execPath, [...FLAGS, limit, GROUP, ...files], { env, stdio: ["ignore", "pipe", "pipe"] });
  let report = "";
  let complaint = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    report += text;
    show(text);
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint = (complaint + text).slice(-LAST_CHARACTERS);
    process.stderr.write(text);
  });
  const [code, signal] = await once(child, "close");
  return { how: String(code ?? signal), report, complaint };
}

/** The files of each group. */
function shortForms(): readonly (readonly string[])[] {
  const placed = new Set<string>();
  return GROUPS.map((patterns) => {
    const files = filesOf(patterns, [LONG_ONLY]).filter((file) => !placed.has(file));
    for (const file of files) placed.add(file);
    return files;
  });
}

/** A name that stands for no file is a slip, and would be a test that nobody runs. */
function filesOf(patterns: readonly string[], exclude: readonly string[] = []): readonly string[] {
  return patterns.flatMap((pattern) => {
    const files = globSync(pattern, { cwd: ROOT, exclude: [...exclude] });
    if (files.length === 0) throw new Error(`No test file is named ${pattern}.`);
    return files;
  });
}

/** Each in its turn, so many at a time. */
function runInTurn(groups: readonly (readonly string[])[]): readonly Promise<Ended>[] {
  const all: Promise<Ended>[] = [];
  for (const [place, files] of groups.entries()) {
    const free = place < AT_ONCE ? Promise.resolve() : afterSome(all.slice(), place - AT_ONCE + 1);
    all.push(free.then(() => run(files, place === 0 ? write : () => {})));
  }
  return all;
}

/** Resolves when so many of them have ended. */
async function afterSome(running: readonly Promise<unknown>[], count: number): Promise<void> {
  const enough = Promise.withResolvers<void>();
  let ended = 0;
  for (const one of running) void one.then(() => ++ended === count && enough.resolve());
  await enough.promise;
}

/** Sum of a closing figure of the runner over all reports. */
function sum(ended: readonly Ended[], figure: string): number {
  const pattern = new RegExp(`^ℹ ${figure} (\\d+)$`, "m");
  return ended.reduce((total, { report }) => total + Number(pattern.exec(report)?.[1] ?? 0), 0);
}

function hasReported(report: string): boolean {
  return /^ℹ fail \d+$/m.test(report);
}

/** One that a test has ended with 0 has reported nothing. */
function isGreen({ how, report }: Pick<Ended, "how" | "report">): boolean {
  return how === "0" && hasReported(report);
}

/** Tests that failed; where none did and all is not well, the group itself is one. */
function failuresOf(one: Ended): number {
  const failed = sum([one], "fail") + sum([one], "cancelled");
  return failed === 0 && !isGreen(one) ? 1 : failed;
}

/** What a reader of the last lines alone has to know: each test that failed, and each group that died before it had reported. */
function whatFailed({ how, report, complaint }: Ended, files: readonly string[]): string {
  if (isGreen({ how, report })) return "";
  const list = report.indexOf(FAILING_TESTS);
  if (list >= 0) return `\n${report.slice(list)}`;
  const when = hasReported(report) ? "though nothing failed" : "before its report was whole";
  return `\nEnded with ${how} ${when}: ${files.join(" ")}\n${report.slice(-LAST_CHARACTERS)}\n${complaint}\n`;
}

const { values, positionals: asked } = parseArgs({ options: { long: { type: "boolean" } }, allowPositionals: true });
const long = values.long === true;
const chosen = asked.length > 0 ? [asked] : WITH_LONG_FORM;
const groups = long || asked.length > 0 ? chosen.map((patterns) => [...new Set(filesOf(patterns))]) : shortForms();
const env = {
  ...process.env,
  ...(long && { TRIPTYCH_LONG: "1" }),
  NODE_OPTIONS: `${process.env["NODE_OPTIONS"] ?? ""} --import=${new URL("../use-libraries.mjs", import.meta.url).href}`,
  // Threads and processes that tests start are many, and spend most of their time on compiling. Not where coverage is measured: what
  // comes from the cache is not counted by the line.
  ...(process.env["NODE_V8_COVERAGE"] === undefined && { NODE_COMPILE_CACHE: COMPILED }),
};
// Before anybody starts: each that does not find them would put them together for itself.
await once(spawn(process.execPath, [`${ROOT}libraries.mjs`], { stdio: "inherit" }), "close");
const write = (text: string) => void process.stdout.write(text);
const running = runInTurn(groups);
const ended: Ended[] = [];
for (const [place, one] of running.entries()) {
  ended.push(await one);
  if (place > 0) write(ended[place].report);
}
// Again, below hundreds of lines of those that passed.
for (const [place, one] of ended.entries()) write(whatFailed(one, groups[place] ?? []));
const failed = ended.reduce((total, one) => total + failuresOf(one), 0);
write(`\n${sum(ended, "pass")} passed, ${failed} failed, ${sum(ended, "skipped")} skipped\n`);
process.exitCode = ended.every(isGreen) ? 0 : 1;
