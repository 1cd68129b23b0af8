/** Which files are tests, which are worth one, and which a test says by name that it tests. */
import { posix } from "node:path";
import { isForeign } from "./kinds.ts";
import type { Tree } from "./tree.ts";

const SOURCE = /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|php|cs|swift|ex|scala)$/;
const TEST_FOLDER = /(?:^|\/)(?:tests?|specs?|__tests__|e2e)\//;
const TEST_NAME =
  /(?:[._-](?:test|spec)s?\.[^./]+|(?:^|\/)test_[^/]+\.py|(?:^|\/)(?:test|tests|conftest)\.[^./]+|(?<=[a-z])Tests?\.(?:java|kt|cs|php|scala|swift))$/;
/** Declarations, settings, what is generated or only shown, and what a person runs by hand. */
const NO_TEST_NEEDED =
  /\.d\.[cm]?ts$|\.min\.js$|\.config\.[cm]?[jt]s$|\.stories\.[jt]sx?$|(?:^|\/)\.|(?:^|\/)(?:examples?|docs?|fixtures?|testdata|mocks?|__mocks__|migrations?|scripts?|bench(?:marks?)?|generated|codemods|public|static|assets)\//;

export function isTest(path: string): boolean {
  return SOURCE.test(path) && (TEST_FOLDER.test(path) || TEST_NAME.test(path)) && !isForeign(path);
}

export function isWorthATest(path: string): boolean {
  return SOURCE.test(path) && !isTest(path) && !isForeign(path) && !NO_TEST_NEEDED.test(path);
}

export interface Tests {
  /** A test file imports it. */
  areImporting(path: string): boolean;
  /** A test file has its name. */
  areNamedAfter(path: string): boolean;
}

/** Reads every test file once. */
export async function readTests(tree: Tree): Promise<Tests> {
  const named = new Set<string>();
  const imported = new Set<string>();
  const goFolders = new Set<string>();
  const texts: { readonly path: string; readonly text: string }[] = [];
  for (const path of tree.files.keys()) {
    if (!isTest(path)) continue;
    const text = (await tree.read(path)) ?? "";
    texts.push({ path, text });
    named.add(nameOfTested(path));
    if (path.endsWith("_test.go")) goFolders.add(posix.dirname(path));
    for (const name of importsOf(path, text)) imported.add(name);
  }
  return {
    areNamedAfter: (path) => named.has(stemOf(posix.basename(path)).toLowerCase()),
    areImporting(path) {
      const stem = stemOf(path);
      // Go's tests belong to the package beside them and import nothing of it.
      if (path.endsWith(".go")) return goFolders.has(posix.dirname(path));
      if (/\.(?:[cm]?[jt]sx?|py|rb)$/.test(path)) return waysToSay(stem).some((way) => imported.has(way));
      const word = new RegExp(`\\b${posix.basename(stem).replaceAll(/[^\w]/g, "\\$&")}\\b`);
      return texts.some(({ text }) => word.test(text));
    },
  };
}

/** Full from the root, and each end of it behind a `*`: what a package name or an alias stands for is not known. */
function waysToSay(stem: string): readonly string[] {
  const parts = stem.replace(/\/(?:index|__init__|mod)$/, "").split("/");
  return [parts.join("/"), ...parts.map((_, place) => `*/${parts.slice(place).join("/")}`)];
}

const IMPORTS = [
  /\b(?:from|import|require|require_relative)\s*\(?\s*["']([^"'\n]+)["']/g,
  /\bimport\s*\(\s*["'`]([^"'`\n]+)["'`]/g,
  /\bnew URL\(\s*["']([^"'\n]+)["']\s*,\s*import\.meta\.url/g,
];
const PYTHON_IMPORTS = /^\s*(?:from\s+(\.*[\w.]*)\s+import\s+([\w, ]+|\()|import\s+([\w., ]+))/gm;

/** Where imports of a test lead: paths without their endings, from the root where they are relative. */
function importsOf(path: string, text: string): readonly string[] {
  if (path.endsWith(".py")) return pythonImportsOf(text);
  return IMPORTS.flatMap((pattern) => Array.from(text.matchAll(pattern), ([, name]) => name)).flatMap((name) => {
    const isRelative = name.startsWith(".") || path.endsWith(".rb");
    const stem = stemOf(isRelative ? posix.join(posix.dirname(path), name) : name).replace(/\/index$/, "");
    // `pkg/src/a` and `@/src/a` are `src/a` of a package that is probably this one.
    const inPackage = isRelative
      ? null
      : stem.slice(stem.indexOf("/", stem.startsWith("@") && !stem.startsWith("@/") ? stem.indexOf("/") + 1 : 0) + 1);
    return inPackage === null
      ? [stem, ...(path.endsWith(".rb") ? [`*/${stemOf(name)}`] : [])]
      : stem.includes("/")
        ? [`*/${inPackage}`, stem]
        : [];
  });
}

function pythonImportsOf(text: string): readonly string[] {
  return Array.from(text.matchAll(PYTHON_IMPORTS)).flatMap(([, from, names, plain]) => {
    if (plain !== undefined) return plain.split(",").map((one) => wayOf(one.trim().split(/\s/)[0]));
    const members = (names ?? "")
      .split(",")
      .map((one) => one.trim().split(/\s/)[0])
      .filter((one) => /^\w+$/.test(one));
    return [wayOf(from), ...members.map((one) => wayOf(`${from}.${one}`))];
  });
}

function wayOf(module: string): string {
  return `*/${module.replace(/^\.+/, "").replaceAll(".", "/")}`;
}

function stemOf(path: string): string {
  return path.replace(/(?<=[^/])\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|php|cs|swift|ex|scala)$/, "");
}

/** `date` of `date.test.ts`, `test_date.py`, `date_test.go`, `DateTest.java`, and of `test/date.js`. */
function nameOfTested(path: string): string {
  const stem = stemOf(posix.basename(path));
  return stem.replace(/^test_|(?:[._-](?:test|spec)s?)$|(?<=[a-z])Tests?$/g, "").toLowerCase();
}
