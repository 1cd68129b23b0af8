/**
 * Replays the output of a real agent. A JSON-RPC agent waits as in the recording: after a response for the next call, after its own
 * request for the response.
 */
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [recording] = process.argv.slice(2);
const lines = readFileSync(recording, "utf8").trimEnd().split("\n");

if (!lines[0].includes('"jsonrpc"')) process.stdout.write(`${lines.join("\n")}\n`);
else
  createInterface({ input: process.stdin }).on("line", () => {
    for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
      process.stdout.write(`${line}\n`);
      if ("id" in JSON.parse(line)) return;
    }
  });
