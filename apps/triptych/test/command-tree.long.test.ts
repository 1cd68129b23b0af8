import assert from "node:assert/strict";
import { test } from "node:test";
import type { Command } from "commander";
import { commandFrom, readCommandTree } from "../src/command-tree.ts";
import { COMMANDS } from "../src/commands.ts";

function* helpTexts(command: Command, path: string): Generator<readonly [string, string]> {
  let text = "";
  command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => 100 });
  command.outputHelp();
  yield [path, text];
  for (const child of command.commands) yield* helpTexts(child, `${path} ${child.name()}`);
}

test("prints the help of every command without its code", async () => {
  const nodes = new Map(readCommandTree().map((node) => [node.name, node]));
  assert.deepEqual([...nodes.keys()], Object.keys(COMMANDS));
  for (const [name, load] of Object.entries(COMMANDS)) {
    const node = nodes.get(name);
    assert.ok(node);
    const described = commandFrom(node, () => {});
    assert.deepEqual([...helpTexts(described, name)], [...helpTexts(await load({}), name)]);
  }
});
