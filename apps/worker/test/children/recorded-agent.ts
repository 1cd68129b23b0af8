/**
 * Says again what a real agent said. An agent of JSON-RPC waits for what it waited for then: after an answer for the next call, after
 * a question of its own for the answer to it.
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
