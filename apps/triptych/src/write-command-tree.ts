/** `npm run commands`: writes `command-tree.json`; with `--check`, reports whether it differs from the commands. */
import { readFile, writeFile } from "node:fs/promises";
import { describeCommand } from "./command-tree.ts";
import { COMMANDS } from "./commands.ts";

const FILE = new URL("command-tree.json", import.meta.url);

const nodes = [];
for (const load of Object.values(COMMANDS)) nodes.push(describeCommand(await load({})));
const text = `${JSON.stringify(nodes, null, 2)}\n`;
if (!process.argv.includes("--check")) await writeFile(FILE, text);
else if ((await readFile(FILE, "utf8")) !== text) {
  process.stderr.write("command-tree.json differs from the commands: run `npm run commands`.\n");
  process.exitCode = 1;
}
