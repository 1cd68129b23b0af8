/**
 * Runs a group of test files sequentially in this process: `node --test-timeout=MS test/run-group.ts FILE...`. Like
 * `node --test --test-isolation=none`, but without promise tracking. Node's runner tracks every promise to attribute
 * uncaught errors to tests, which costs a microsecond each (2,000,000 awaits: 2.4 s instead of 0.1 s), a fifth of the
 * time of store tests. Such an error still fails the run, but without its test.
 */
import { createHook } from "node:async_hooks";
import { pipeline } from "node:stream/promises";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";

const files = process.argv.slice(2);
followNoPromises();
const reports = run({ files, isolation: "none" }).once("test:fail", () => (process.exitCode = 1));
await pipeline(reports, new spec(), process.stdout, { end: false });
for (const file of files) await sayWhereItThrew(file);

/**
 * A file that throws after its first test loses the rest, and the runner does not report it. The import below does not
 * evaluate the file again.
 */
async function sayWhereItThrew(file: string): Promise<void> {
  try {
    await import(pathToFileURL(file).href);
  } catch (error) {
    process.stderr.write(`${file} could not be loaded completely: ${inspect(error)}\n`);
    process.exitCode = 1;
  }
}

/** The runner's own hook is created next; it gets the options of `createHook({ trackPromises: false })`. */
function followNoPromises(): void {
  const hooks: { enable(this: object): unknown } = Object.getPrototypeOf(createHook({}));
  const { enable } = hooks;
  hooks.enable = function enableOnce() {
    hooks.enable = enable;
    for (const field of Object.getOwnPropertySymbols(this)) {
      if (field.description === "kNoPromiseHook") Reflect.set(this, field, true);
    }
    return enable.call(this);
  };
}
