/** Every text of the screens goes through `t` or `plural`, so that it can be translated. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseSync, type ESTree } from "vite";

const SOURCES = join(import.meta.dirname, "../src");
const VISIBLE_ATTRIBUTES = "aria-label title label hint why placeholder caption busy heading what alt".split(" ");
const SAME_EVERYWHERE = new Set([
  "Triptych",
  "GitHub",
  "GitLab",
  "Gitea",
  "Git",
  "Enter",
  "Esc",
  "Escape",
  "Ctrl Enter",
  "npm run triptych -- worker --panel ",
  " --token-file panel-token",
  "triptych gate dep-at-least ",
  "form input:not([type=hidden]), form textarea, footer button",
  "worker download",
  "ScreenNotFetched",
]);
/** Their arguments are no text of a screen. */
const OTHER_CALLS = ["classes", "lazyRouteComponent", "startsWith", "querySelector"];

test("leaves no text of a screen that cannot be translated", () => {
  assert.deepEqual(bareTexts(), []);
});

/** With their file. */
function bareTexts(): readonly string[] {
  const bare: string[] = [];
  for (const path of globSync("**/*.{ts,tsx}", { cwd: SOURCES })) {
    if (path.endsWith(".d.ts")) continue;
    const { program } = parseSync(path, readFileSync(join(SOURCES, path), "utf8"));
    visit(program, []);

    function visit(node: ESTree.Node, parents: readonly ESTree.Node[]): void {
      const text = visibleText(node, parents);
      if (text !== null) bare.push(`${path}: ${text}`);
      for (const child of childrenOf(node)) visit(child, [node, ...parents]);
    }
  }
  return bare;
}

/** Null where the node is no text, or is translated. */
function visibleText(node: ESTree.Node, parents: readonly ESTree.Node[]): string | null {
  const [parent] = parents;
  if (node.type === "JSXText") {
    const isCode = parent?.type === "JSXElement" && isNamed(parent.openingElement.name, ["code", "kbd"]);
    return /\p{L}/u.test(node.value) && !isCode && !SAME_EVERYWHERE.has(node.value.trim()) ? node.value.trim() : null;
  }
  if (parent === undefined || parents.some(isTranslated) || (parent.type === "Property" && parent.key === node))
    return null;
  const text = node.type === "Literal" ? node.value : node.type === "TemplateElement" ? node.value.cooked : null;
  if (typeof text !== "string" || SAME_EVERYWHERE.has(text)) return null;
  const attribute = parents.find(({ type }) => type === "JSXAttribute");
  if (parent.type === "JSXAttribute")
    return /\p{L}/u.test(text) && isNamed(parent.name, VISIBLE_ATTRIBUTES) ? text : null;
  if (attribute?.type === "JSXAttribute" && attribute.name.name === "className") return null;
  const isProse = /^\p{Lu}\p{Ll}/u.test(text) || /\p{L}{2} \p{L}{2}/u.test(text);
  return isProse ? text : null;
}

/** Errors of the program are in English, as in logs. */
function isTranslated(node: ESTree.Node): boolean {
  if (node.type === "NewExpression" || node.type === "ImportDeclaration") return true;
  if (node.type === "BinaryExpression") return node.operator === "===" || node.operator === "!==";
  if (node.type !== "CallExpression") return false;
  const callee = node.callee.type === "MemberExpression" ? node.callee.property : node.callee;
  return callee.type === "Super" || isNamed(callee, ["t", "plural", ...OTHER_CALLS]);
}

function isNamed(node: ESTree.Node, names: readonly string[]): boolean {
  return (node.type === "Identifier" || node.type === "JSXIdentifier") && names.includes(node.name);
}

function childrenOf(node: ESTree.Node): readonly ESTree.Node[] {
  return Object.values(node).flat().filter(isNode);
}

function isNode(value: unknown): value is ESTree.Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}
