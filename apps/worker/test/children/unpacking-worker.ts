/** Unpacks an image, to be killed in the meantime. Arguments: the worker's folder, then the engine. */
import { openContainer } from "../../src/sandbox/image/container.ts";

const [, , folder = "", ...engine] = process.argv;
const machine = { path: process.env["PATH"] ?? "/usr/bin:/bin", hidden: [], exposed: [] };
await openContainer({ reference: "tools:1", engine }, { folder, machine, host: process.env, log: () => {} });
