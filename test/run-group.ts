/**
 * One group of test files, one after the other, in this process: `node --test-timeout=MS test/run-group.ts FILE...`. What `node --test
 * --test-isolation=none` does, without following each promise: Node's runner wants to know to which test an error belongs that nobody
 * caught, and pays a microsecond for every promise (2,000,000 awaits: 2.4 s, and 0.1 s without), a fifth of what tests of stores cost.
 * Such an error still fails the run; where it came out of a promise, it is not said in which test.
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

/** A file that throws below its first test has lost the others, and the runner says nothing of it. It is not evaluated again here. */
async function sayWhereItThrew(file: string): Promise<void> {
  try {
    await import(pathToFileURL(file).href);
  } catch (error) {
    process.stderr.write(`${file} was not read to its end: ${inspect(error)}\n`);
    process.exitCode = 1;
  }
}

/** The runner's own hook is the next that is enabled; it is asked for what `createHook({ trackPromises: false })` asks for. */
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
