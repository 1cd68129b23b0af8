/**
 * Entry point for a fresh machine. Plain JavaScript for any Node.js version: it reports what is missing, or starts the command line
 * under the Node.js that `npm ci` installed.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import * as module from "node:module";
import { fileURLToPath } from "node:url";

const NEEDED_MAJOR = 24;
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const runtime = here(`node_modules/node/bin/node${process.platform === "win32" ? ".exe" : ""}`);

if (!existsSync(here("node_modules"))) {
  stop("The dependencies are not installed yet: run `npm ci` in this folder first.");
}
if (Number(process.versions.node.split(".")[0]) >= NEEDED_MAJOR) {
  // Saves a quarter of the CPU time of each start. Set in the environment, so that threads use it too.
  process.env.NODE_COMPILE_CACHE ??= here("node_modules/.cache/compiled");
  module.enableCompileCache();
  const { main } = await import("./apps/triptych/src/main.ts");
  // Flushed here, because a killed process would leave no cache for its successor.
  module.flushCompileCache();
  await main(process.argv.slice(2));
} else if (existsSync(runtime)) {
  const child = spawn(runtime, [here("start.mjs"), ...process.argv.slice(2)], { stdio: "inherit" });
  // Signals are for the child. This process exits with the child's code.
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code) => process.exit(code ?? 1));
} else {
  stop(
    `Node ${NEEDED_MAJOR} is missing from node_modules (was \`npm ci\` run with --ignore-scripts?): run \`npm rebuild node\`, or use your own Node ${NEEDED_MAJOR}.`,
  );
}

function stop(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(2);
}
