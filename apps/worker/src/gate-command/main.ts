/** Entry point of the `triptych` that checks find in PATH. It imports the worker's source and its libraries. */
import { askGate, GATE_USAGE } from "./gate.ts";

const [command, ...args] = process.argv.slice(2);
const isGate = command === "gate" && args.length > 0 && args[0] !== "--help";
const { code, says } = isGate
  ? await askGate(args, { folder: process.cwd(), environment: process.env })
  : { code: 2, says: `Here triptych answers gates only:\n${GATE_USAGE}` };
(code === 0 ? process.stdout : process.stderr).write(`${says}\n`);
process.exitCode = code;
