/**
 * `npm test`: runs all test files in a few groups, one process each, because a process runs its files sequentially.
 * Runs three more groups than CPUs, because many tests wait for child processes; the most expensive start first.
 * Reports are printed whole, in order. Files given as arguments run in one process: `npm test --
 * packages/server/test/requests.test.ts`.
 *
 * `npm run test:long` runs only tests with a long form: more seeds, requests, queries and kills, and the files
 * `*.long.test.ts`, which have no short form. `npm run test:campaign` runs the most expensive ones.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/**
 * A file belongs to the first matching group. Stores share a group, because starting PGlite costs each process seconds.
 */
const GROUPS: readonly (readonly string[])[] = [
  [
    "services/*/test/store/**/*.test.ts",
    "services/panel/test/worker-connections/two-nodes.test.ts",
    "packages/{storage,api-keys,rate-limit,usage-metering}/test/**/*.test.ts",
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
 * Files that check `TEST_LONG`, and those without a short form. Ten years of schedules in six time zones take three
 * CPU minutes and run only in `npm run bench:worker`.
 */
const WITH_LONG_FORM: readonly (readonly string[])[] = [
  [
    "services/directory/test/commands/import-crash.test.ts",
    "services/directory/test/{analyse,distinct-texts,read-words}.test.ts",
    "services/directory/test/http/fuzz.test.ts",
    "services/directory/test/import/{html,reading,real-data,slugs,values}.test.ts",
    "services/directory/test/store/published-versions.test.ts",
    "services/directory/test/**/*.long.test.ts",
  ],
  ["services/panel/test/store/scouts.test.ts", "apps/worker/test/sandbox/{container,readers}.test.ts"],
  [
    "services/panel/test/http/fuzz.test.ts",
    "services/panel/test/worker-connections/random-frames.test.ts",
    "services/panel/test/delivery/crash.test.ts",
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
  ["packages/decisions/test/**/*.long.test.ts", "test/postgres.test.ts", "test/*.long.test.ts"],
];
/** `npm run test:campaign`: the most expensive long forms, 20 minutes together. Their short forms are in `npm test`. */
const CAMPAIGN: readonly (readonly string[])[] = [
  ["services/directory/test/engine-equality.test.ts", "services/directory/test/store/postgres-catalogue.test.ts"],
  ["apps/worker/test/{cuts,sandbox/scouts}.test.ts"],
  ["services/panel/test/chaos/kills.test.ts", "services/panel/test/delivery/hundred-callers.test.ts"],
  ["packages/decisions/test/eval-command.test.ts"],
];
const FLAGS = [
  // Most of PGlite's WebAssembly is never called: compiling functions lazily saves two thirds of the CPU time.
  "--wasm-lazy-compilation",
  // Functions are not called often enough for an optimizing recompilation.
  "--liftoff-only",
  // CPUs are the bottleneck and garbage is young: a large semi-space saves a tenth of the time.
  "--single-threaded-gc",
  "--max-semi-space-size=64",
];
const AT_ONCE = availableParallelism() + 3;
const LIMIT_MS = 120_000;
const LONG_LIMIT_MS = 1_200_000;
/** Lines of output shown for a group that died. */
const LAST_CHARACTERS = 2_000;
const FAILING_TESTS = "✖ failing tests:";
const ROOT = fileURLToPath(new URL("..", import.meta.url));
const GROUP = fileURLToPath(new URL("run-group.ts", import.meta.url));
const COMPILED = `${ROOT}node_modules/.cache/compiled`;

interface Ended {
  /** Exit code, or the signal. */
  readonly how: string;
  readonly report: string;
  /** End of the output besides the report. */
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

/** Fails on a name without a file, which would be a test that never runs. */
function filesOf(patterns: readonly string[], exclude: readonly string[] = []): readonly string[] {
  return patterns.flatMap((pattern) => {
    const files = globSync(pattern, { cwd: ROOT, exclude: [...exclude] });
    if (files.length === 0) throw new Error(`No test file is named ${pattern}.`);
    return files;
  });
}

/** Runs all in order, with limited concurrency. */
function runLimited(groups: readonly (readonly string[])[]): readonly Promise<Ended>[] {
  const all: Promise<Ended>[] = [];
  for (const [index, files] of groups.entries()) {
    const free = index < AT_ONCE ? Promise.resolve() : afterSome(all.slice(), index - AT_ONCE + 1);
    all.push(free.then(() => run(files, index === 0 ? write : () => {})));
  }
  return all;
}

/** Resolves when this number of them has ended. */
async function afterSome(running: readonly Promise<unknown>[], count: number): Promise<void> {
  const enough = Promise.withResolvers<void>();
  let ended = 0;
  for (const task of running) void task.then(() => ++ended === count && enough.resolve());
  await enough.promise;
}

/** Sum of a summary figure over all reports. */
function sum(ended: readonly Ended[], figure: string): number {
  const pattern = new RegExp(`^ℹ ${figure} (\\d+)$`, "m");
  return ended.reduce((total, { report }) => total + Number(pattern.exec(report)?.[1] ?? 0), 0);
}

function hasReported(report: string): boolean {
  return /^ℹ fail \d+$/m.test(report);
}

/** A group whose process a test ended with 0 has no report. */
function isGreen({ how, report }: Pick<Ended, "how" | "report">): boolean {
  return how === "0" && hasReported(report);
}

/** Failed tests; a group that failed without one counts as one. */
function failuresOf(result: Ended): number {
  const failed = sum([result], "fail") + sum([result], "cancelled");
  return failed === 0 && !isGreen(result) ? 1 : failed;
}

/** Summary for the last lines: failed tests, and groups that died before reporting. */
function whatFailed({ how, report, complaint }: Ended, files: readonly string[]): string {
  if (isGreen({ how, report })) return "";
  const list = report.indexOf(FAILING_TESTS);
  if (list >= 0) return `\n${report.slice(list)}`;
  const when = hasReported(report) ? "though nothing failed" : "before its report was complete";
  return `\nEnded with ${how} ${when}: ${files.join(" ")}\n${report.slice(-LAST_CHARACTERS)}\n${complaint}\n`;
}

const { values, positionals: requestedPatterns } = parseArgs({
  options: { long: { type: "boolean" }, campaign: { type: "boolean" } },
  allowPositionals: true,
});
const long = values.long === true || values.campaign === true;
const longGroups = values.campaign === true ? CAMPAIGN : WITH_LONG_FORM;
const chosen = requestedPatterns.length > 0 ? [requestedPatterns] : longGroups;
const groups =
  long || requestedPatterns.length > 0 ? chosen.map((patterns) => [...new Set(filesOf(patterns))]) : shortForms();
const env = {
  ...process.env,
  ...(long && { TEST_LONG: "1" }),
  // Child processes and threads spend most of their time compiling, so they share a compile cache. Not for coverage:
  // cached code is not counted per line.
  ...(process.env["NODE_V8_COVERAGE"] === undefined && { NODE_COMPILE_CACHE: COMPILED }),
};
const write = (text: string) => void process.stdout.write(text);
const running = runLimited(groups);
const ended: Ended[] = [];
for (const [index, task] of running.entries()) {
  ended.push(await task);
  if (index > 0) write(ended[index].report);
}
// Repeated after hundreds of lines of passed tests.
for (const [index, result] of ended.entries()) write(whatFailed(result, groups[index] ?? []));
const failed = ended.reduce((total, result) => total + failuresOf(result), 0);
write(`\n${sum(ended, "pass")} passed, ${failed} failed, ${sum(ended, "skipped")} skipped\n`);
process.exitCode = ended.every(isGreen) ? 0 : 1;
