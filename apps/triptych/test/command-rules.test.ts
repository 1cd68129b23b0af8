/** Rules for every command, checked in the command tree. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { readCommandTree, type CommandNode } from "../src/command-tree.ts";

interface Leaf {
  readonly path: string;
  readonly options: readonly string[];
}

function leavesOf(node: CommandNode, path: string): readonly Leaf[] {
  const own = { path, options: node.options.map(({ name }) => name) };
  const children = node.commands.flatMap((child) => leavesOf(child, `${path} ${child.name}`));
  return node.commands.length === 0 || node.options.length > 0 ? [own, ...children] : children;
}

const LEAVES = readCommandTree().flatMap((node) => leavesOf(node, node.name));
const pathsWith = (option: string) => LEAVES.filter(({ options }) => options.includes(option)).map(({ path }) => path);

/** Commands that print a sentence, a script or a protocol, or run until they are stopped. */
const WITHOUT_DATA = [
  "login",
  "logout",
  "profile set",
  "profile use",
  "profile remove",
  "start",
  "worker",
  "mcp",
  "notify",
  "completion",
  "gate",
];

test("every command that prints data accepts --json", () => {
  const others = LEAVES.map(({ path }) => path).filter((path) => !pathsWith("--json").includes(path));
  assert.deepEqual(others, WITHOUT_DATA);
});

test("every command that destroys or refunds something asks for confirmation or requires --yes", () => {
  assert.deepEqual(pathsWith("-y, --yes"), [
    "profile remove",
    "candidates reject",
    "wallet tokens revoke",
    "directory keys revoke",
    "directory import",
    "directory remove",
    "directory rollback",
    "directory synonyms reset",
    "rail wallet freeze",
    "rail topup refund",
    "rail charge refund",
    "rail keys revoke",
    "rail import",
    "panel suspend",
  ]);
});

test("docs/cli.md names every command that asks for confirmation", () => {
  const text = readFileSync(new URL("../../../docs/cli.md", import.meta.url), "utf8");
  assert.deepEqual(
    pathsWith("-y, --yes").filter((path) => !text.includes(`\`${path}`)),
    [],
  );
});
