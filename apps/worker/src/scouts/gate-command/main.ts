/** Entry point of the `triptych` that checks find in PATH. */
import { askGate, GATE_USAGE } from "./gate.ts";

const [command, ...args] = process.argv.slice(2);
const isGate = command === "gate" && args.length > 0 && args[0] !== "--help";
const { code, message } = isGate
  ? await askGate(args, { folder: process.cwd(), environment: process.env })
  : { code: 2, message: `Only "triptych gate" is available here:\n${GATE_USAGE}` };
(code === 0 ? process.stdout : process.stderr).write(`${message}\n`);
process.exitCode = code;
