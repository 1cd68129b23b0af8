/** Every text of the screens is in both languages. English texts are the keys, as in gettext. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseSync, type ESTree } from "vite";
import { FRENCH } from "../../dashboard/src/french/index.ts";

const SOURCES = join(import.meta.dirname, "../../dashboard/src");
const VISIBLE_ATTRIBUTES = "aria-label title label hint why placeholder caption busy heading what alt".split(" ");
const SAME_EVERYWHERE = new Set([
  "Triptych",
  "GitHub",
  "GitLab",
  "Gitea",
  "Git",
  "English",
  "Français",
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

interface Source {
  /** Texts with a call of `t` or `plural`; the singular of a plural. */
  readonly texts: readonly string[];
  readonly plurals: ReadonlyMap<string, string>;
  /** Texts without such a call, with their file. */
  readonly bare: readonly string[];
}

const source = readSources();

test("translates each text into French, and nothing else", () => {
  const texts = new Set([...source.texts, ...source.plurals.keys()]);
  assert.deepEqual(
    [...texts].filter((text) => !Object.hasOwn(FRENCH, text)),
    [],
  );
  assert.deepEqual(
    Object.keys(FRENCH).filter((text) => !texts.has(text)),
    [],
  );
});

test("has a plural in French wherever English has one", () => {
  for (const [text, french] of Object.entries(FRENCH))
    assert.equal(typeof french === "object", source.plurals.has(text), text);
});

test("uses the same placeholders and elements in both languages", () => {
  for (const [text, french] of Object.entries(FRENCH)) {
    const [english, translated] =
      typeof french === "string" ? [text, french] : [source.plurals.get(text) ?? "", french[1]];
    assert.deepEqual(partsOf(translated), partsOf(english), text);
    // "1" may be written out.
    if (typeof french === "object")
      assert.deepEqual(partsOf(french[0]).filter(isNotCount), partsOf(text).filter(isNotCount), text);
  }
});

test("sets French spaces and quotes", () => {
  const texts = Object.values(FRENCH)
    .flat()
    .map((text) => text.replaceAll(/<[^>]*>|`[^`]*`|\?\s\w|https?:/g, ""));
  assert.deepEqual(
    texts.filter((text) => /[^\u00A0][?!;»](?!\w)|[^\u00A0]:(?=\s|$)|«[^\u00A0]|[“”"’]/.test(text)),
    [],
  );
});

test("leaves no screen text untranslated", () => {
  assert.deepEqual(source.bare, []);
});

function partsOf(text: string): readonly string[] {
  return (text.match(/\{\w+\}|<\/?\w+>/g) ?? []).toSorted();
}

function isNotCount(part: string): boolean {
  return part !== "{count}";
}

function readSources(): Source {
  const texts: string[] = [];
  const plurals = new Map<string, string>();
  const bare: string[] = [];
  for (const path of globSync("**/*.{ts,tsx}", { cwd: SOURCES })) {
    if (path.startsWith("french/") || path.endsWith(".d.ts")) continue;
    const { program } = parseSync(path, readFileSync(join(SOURCES, path), "utf8"));
    visit(program, []);

    function visit(node: ESTree.Node, parents: readonly ESTree.Node[]): void {
      if (node.type === "CallExpression" && node.callee.type === "Identifier") {
        if (node.callee.name === "t") texts.push(literal(node.arguments[0]));
        if (node.callee.name === "plural") plurals.set(literal(node.arguments[1]), literal(node.arguments[2]));
      }
      const text = visibleText(node, parents);
      if (text !== null) bare.push(`${path}: ${text}`);
      for (const child of childrenOf(node)) visit(child, [node, ...parents]);
    }
  }
  return { texts, plurals, bare };
}

function literal(node: ESTree.Node | undefined): string {
  assert.ok(node?.type === "Literal" && typeof node.value === "string", "a text to translate is a literal");
  return node.value;
}

/** Null if the node is translated, or not a text. */
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
