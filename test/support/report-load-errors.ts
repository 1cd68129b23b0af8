/**
 * `node --test --import` of this file: exits with 1 if a test file throws while it loads. Node 24 without isolation
 * loses the rest of such a file and reports success. The import does not evaluate a file again.
 */
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";

process.once("beforeExit", () => {
  for (const file of process.argv.slice(1)) {
    import(pathToFileURL(resolve(file)).href).catch((error: unknown) => {
      process.stderr.write(`${file} could not be loaded completely: ${inspect(error)}\n`);
      process.exitCode = 1;
    });
  }
});
