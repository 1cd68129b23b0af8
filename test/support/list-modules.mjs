/** `--import` of a test: prints the URL of each loaded module to stderr when the process ends. */
import { registerHooks } from "node:module";

const loaded = [];
registerHooks({
  load(url, context, next) {
    loaded.push(url);
    return next(url, context);
  },
});
process.on("exit", () => process.stderr.write(`${loaded.join("\n")}\n`));
