#!/usr/bin/env -S node --disable-warning=ExperimentalWarning
/** The command `triptych` of the published package. */
import * as module from "node:module";

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`triptych needs Node.js 22.19 or newer; this is ${process.versions.node}.\n`);
  process.exit(2);
}
module.enableCompileCache();
const { main } = await import("./apps/triptych/src/main.js");
module.flushCompileCache?.();
await main(process.argv.slice(2));
