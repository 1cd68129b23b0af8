/**
 * `npm test [-- FILE...]`, `npm run test:long` and `npm run test:campaign`: runs each group of `groups.json` in one
 * `node --test` process, because PGlite costs each process seconds. Prints reports of failed groups last.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import groups from "./groups.json" with { type: "json" };

const [form = "test", ...requested] = process.argv.slice(2);
if (form !== "test" && form !== "long" && form !== "campaign") throw new Error(`No groups are named ${form}.`);
const chosen = requested.length > 0 ? [requested] : groups[form];
/** A test may keep its process alive after its own timeout. */
const groupMsMax = { test: 900_000, long: 2_400_000, campaign: 14_400_000 }[form];
// Most of PGlite's WebAssembly is never called, and few functions are called often enough to be optimized.
const flags = "--wasm-lazy-compilation --liftoff-only --single-threaded-gc --max-semi-space-size=64";
const runner = "--import=./test/support/report-load-errors.ts --test --test-isolation=none";
const args = `${flags} ${runner} --test-timeout=${form === "test" ? 120_000 : 1_200_000}`.split(" ");
const env = { NODE_COMPILE_CACHE: resolve("node_modules/.cache/compiled"), ...process.env };
const taken = new Set<string>();
const queue = chosen.map((patterns) => patterns.flatMap(filesOf).filter((file) => !taken.has(file) && taken.add(file)));
const results: { readonly isGreen: boolean; readonly report: string }[] = [];

/** Fails on a pattern without a file, which would be a test that never runs. */
function filesOf(pattern: string): readonly string[] {
  const files = globSync(pattern, { exclude: form === "test" ? ["**/*.long.test.ts"] : [] });
  if (files.length === 0) throw new Error(`No test file is named ${pattern}.`);
  return files;
}

async function run(files: readonly string[]): Promise<void> {
  const variables = form === "test" ? env : { ...env, TEST_LONG: "1" };
  const options = { env: variables, timeout: groupMsMax, killSignal: "SIGKILL" } as const;
  const child = spawn(process.execPath, [...args, ...files], { ...options, stdio: ["ignore", "pipe", "inherit"] });
  if (chosen.length === 1) child.stdout.pipe(process.stdout, { end: false });
  const [report, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
  // A process that a test exits with 0 prints no summary.
  const isGreen = code === 0 && /^ℹ fail 0$/m.test(report);
  results.push({ isGreen, report });
  if (isGreen && chosen.length > 1) process.stdout.write(report);
}

function sum(figure: string): number {
  return results.reduce(
    (total, { report }) => total + Number(report.split(`\nℹ ${figure} `)[1]?.split("\n")[0] ?? 0),
    0,
  );
}

// More than CPUs, because many tests wait for child processes; those of the long forms are busier.
const runners = Array.from({ length: availableParallelism() + (form === "test" ? 3 : 1) }, async () => {
  for (let files = queue.shift(); files !== undefined; files = queue.shift()) await run(files);
});
await Promise.all(runners);
const failed = results.filter(({ isGreen }) => !isGreen);
if (chosen.length > 1) for (const { report } of failed) process.stdout.write(report);
process.exitCode = failed.length === 0 ? 0 : 1;
process.stdout.write(
  `\n${sum("pass")} passed, ${Math.max(sum("fail"), failed.length)} failed, ${sum("skipped")} skipped\n`,
);
