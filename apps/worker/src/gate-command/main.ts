/** A program by itself: the `triptych` that checks find on their path. It reads this worker's own source and the libraries that it imports. */
import { askGate, GATE_USAGE } from "./gate.ts";

const [word, ...words] = process.argv.slice(2);
const isGate = word === "gate" && words.length > 0 && words[0] !== "--help";
const { code, says } = isGate
  ? await askGate(words, { folder: process.cwd(), environment: process.env })
  : { code: 2, says: `Here triptych answers gates only:\n${GATE_USAGE}` };
(code === 0 ? process.stdout : process.stderr).write(`${says}\n`);
process.exitCode = code;
