/** The documentation names only commands and options that exist. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { readCommandTree, type CommandNode } from "../src/command-tree.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const DOCUMENTS = globSync(
  ["*.md", "docs/**/*.md", "{apps,packages,services,examples}/*/README.md", "deploy/**/*.md", "site/*.md"],
  { cwd: ROOT },
).filter((name) => name !== "CHANGELOG.md");

/** Fenced blocks, and code in a line of text. */
const CODE = /^```.*\n(?<block>[\s\S]*?)^```|`(?<line>[^`\n]+)`/gm;
/** Up to a comment, a pipe, a redirection or the next command. */
const CALL =
  /(?:^|[\s(])(?:triptych|npm run (?:-s )?triptych --)(?! [=-])(?<words>(?: (?![|>&#;])(?:'[^']*'|"[^"]*"|[^\s;)])+)+)/gm;
/** Not `npm run chaos:*`, and not scripts of workspaces and other folders. */
const SCRIPT = /npm run (?:-s )?(?![^`\n]*(?:-w |--workspace|--prefix))([a-z][a-z:-]*[a-z])(?![a-z:*-])/g;
const WORD = /(?:'[^']*'|"[^"]*"|[^\s'"])+/g;
const ROOT_NODE: CommandNode = {
  name: "triptych",
  description: "",
  group: "",
  arguments: [],
  options: [],
  commands: readCommandTree(),
  after: "",
};

/** The first word of a call that is neither a command nor an option of it; null if all are. */
function unknownWord(
  words: readonly string[],
  node = ROOT_NODE,
  known: readonly string[] = ["-h", "--help"],
): string | null {
  const options = [...known, ...node.options.flatMap(({ name }) => name.match(/--?[a-z][a-z-]*/g) ?? [])];
  const [word, ...rest] = words;
  // After `--`, and in a gate, the words belong to another program.
  if (word === undefined || word === "--" || node.name === "gate") return null;
  if (/^--?[a-z]/.test(word)) {
    const names = word.split("|").map((name) => name.replace(/=.*$/, ""));
    return names.find((name) => !options.includes(name)) ?? unknownWord(rest, node, known);
  }
  if (node.commands.length === 0) return unknownWord(rest, node, known);
  // `heads export|import|verify` stands for three commands.
  for (const name of word.split("|")) {
    const child = node.commands.find((command) => command.name === name);
    if (child === undefined)
      return node.options.length + node.arguments.length > 0 ? unknownWord(rest, node, known) : name;
    const unknown = unknownWord(rest, child, options);
    if (unknown !== null) return unknown;
  }
  return null;
}

test("every command in the documentation exists with its options", () => {
  const unknown: string[] = [];
  let count = 0;
  for (const name of DOCUMENTS) {
    const text = readFileSync(ROOT + name, "utf8");
    for (const { groups: { block, line } = {} } of text.matchAll(CODE)) {
      const code = (block ?? line ?? "").replaceAll(/\\\n\s*/g, " ");
      for (const { groups: { words = "" } = {} } of code.matchAll(CALL)) {
        const first = unknownWord(words.match(WORD) ?? []);
        if (first !== null) unknown.push(`${name}: triptych${words}: ${first}`);
        count += 1;
      }
    }
  }
  assert.deepEqual(unknown, []);
  assert.ok(count > 100, `${count} commands`);
});

test("every npm script in the documentation exists", () => {
  const { scripts }: { readonly scripts: object } = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8"));
  const unknown = DOCUMENTS.flatMap((name) =>
    Array.from(readFileSync(ROOT + name, "utf8").matchAll(SCRIPT), ([, script]) => script)
      .filter((script) => !Object.hasOwn(scripts, script))
      .map((script) => `${name}: npm run ${script}`),
  );
  assert.deepEqual(unknown, []);
});

test("detects an unknown command and an unknown option", () => {
  assert.equal(unknownWord(["rail", "keys", "shred"]), "shred");
  assert.equal(unknownWord(["router", "check", "--lock", "lock.json", "--colour"]), "--colour");
});
