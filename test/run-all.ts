/**
 * `npm test`: all test files in three processes side by side, because many tests wait for processes of their own, and one process
 * runs its files one after the other. The reports of the others are printed when the first has ended, so none tears another's
 * lines. Files named as arguments run alone, in one process: `npm test -- packages/server/test/requests.test.ts`.
 *
 * `npm run test:long` runs what has a long form, and nothing else: more seeds, requests, queries and kills, and the files named
 * `*.long.test.ts`, which have no short one (each page in a real browser: `test/pages.test.ts` looks at all of them once).
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const GROUPS: readonly (readonly string[])[] = [
  ["services/directory/test/**/*.test.ts", "services/gateway/test/**/*.test.ts", "services/panel/test/**/*.test.ts"],
  ["services/rail/test/**/*.test.ts"],
  [
    "services/router/test/**/*.test.ts",
    "packages/*/test/**/*.test.ts",
    "apps/*/test/**/*.test.ts",
    "test/**/*.test.ts",
  ],
];
/** No short form: only in the long run. */
const LONG_ONLY = "**/*.long.test.ts";
/** Those that look whether `TRIPTYCH_LONG` is set, and those that have no short form. */
const WITH_LONG_FORM: readonly (readonly string[])[] = [
  [
    "services/directory/test/commands/import-crash.test.ts",
    "services/directory/test/http/fuzz.test.ts",
    "services/directory/test/store/postgres-catalogue.test.ts",
    "services/directory/test/**/*.long.test.ts",
  ],
  ["packages/decisions/test/eval-command.test.ts"],
  [
    "services/gateway/test/chaos/kills.test.ts",
    "services/rail/test/chaos/kills.test.ts",
    "services/rail/test/http/*.test.ts",
    "services/gateway/test/fuzz.test.ts",
    "services/panel/test/http/fuzz.test.ts",
    "services/rail/test/**/*.long.test.ts",
    "services/rail/test/sim/simulator.test.ts",
    "services/rail/test/store/differential.test.ts",
    "services/rail/test/store/wal-tails.test.ts",
    "services/router/test/http/fuzz.test.ts",
    "services/router/test/**/*.long.test.ts",
  ],
];
const FLAGS = ["--test", "--test-isolation=none"];
const LIMIT_MS = 120_000;
const LONG_LIMIT_MS = 1_200_000;
const ROOT = fileURLToPath(new URL("..", import.meta.url));
const COMPILED = `${ROOT}node_modules/.cache/compiled`;

interface Ended {
  readonly code: number;
  readonly report: string;
}

async function run(files: readonly string[], show: (text: string) => void): Promise<Ended> {
  const limit = `--test-timeout=${long ? LONG_LIMIT_MS : LIMIT_MS}`;
  const child = spawn(process.execPath, [...FLAGS, limit, ...files], { env, stdio: ["ignore", "pipe", "inherit"] });
  let report = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    report += text;
    show(text);
  });
  const [code] = await once(child, "close");
  return { code: typeof code === "number" ? code : 1, report };
}

function shortForms(patterns: readonly string[]): readonly string[] {
  return globSync(patterns, { cwd: ROOT, exclude: [LONG_ONLY] });
}

/** Sum of a closing figure of the runner over all reports. */
function sum(ended: readonly Ended[], figure: string): number {
  const pattern = new RegExp(`^ℹ ${figure} (\\d+)$`, "m");
  return ended.reduce((total, { report }) => total + Number(pattern.exec(report)?.[1] ?? 0), 0);
}

const { values, positionals: asked } = parseArgs({ options: { long: { type: "boolean" } }, allowPositionals: true });
const long = values.long === true;
const groups = asked.length > 0 ? [asked] : long ? WITH_LONG_FORM : GROUPS.map(shortForms);
const env = {
  ...process.env,
  ...(long && { TRIPTYCH_LONG: "1" }),
  // Threads and processes that tests start are many, and spend most of their time on compiling. Not where coverage is measured: what
  // comes from the cache is not counted by the line.
  ...(process.env["NODE_V8_COVERAGE"] === undefined && { NODE_COMPILE_CACHE: COMPILED }),
};
const write = (text: string) => void process.stdout.write(text);
const running = groups.map((files, place) => run(files, place === 0 ? write : () => {}));
const ended: Ended[] = [];
for (const [place, one] of running.entries()) {
  ended.push(await one);
  if (place > 0) write(ended[place].report);
}
write(
  `\n${sum(ended, "pass")} passed, ${sum(ended, "fail") + sum(ended, "cancelled")} failed, ${sum(ended, "skipped")} skipped\n`,
);
process.exitCode = ended.some(({ code }) => code !== 0) ? 1 : 0;
