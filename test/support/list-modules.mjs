/** `--import` of a test: writes the URL of each loaded module to the file MODULE_LIST when the process ends. */
import { writeFileSync } from "node:fs";
import { registerHooks } from "node:module";

const loaded = [];
registerHooks({
  load(url, context, next) {
    loaded.push(url);
    return next(url, context);
  },
});
process.on("exit", () => writeFileSync(process.env.MODULE_LIST, loaded.join("\n")));
