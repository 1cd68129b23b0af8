/** Which files are tests, and which sources need one. */
import { posix } from "node:path";
import { isForeign } from "./kinds.ts";
import { reachedBy } from "./reached.ts";
import { relatedNames } from "./related-names.ts";
import type { Tree } from "./tree.ts";

const SOURCE = /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|php|cs|swift|ex|scala)$/;
const TEST_FOLDER = /(?:^|\/)(?:tests?|specs?|__tests__|e2e)\//;
const TEST_NAME =
  /(?:[._-](?:test|spec)s?(?:-d)?\.[^./]+|(?:^|\/)test_[^/]+\.py|(?:^|\/)(?:tests?|conftest)(?:-d)?\.[^./]+|(?<=[a-z])Tests?\.(?:java|kt|cs|php|scala|swift))$/;
/** Declarations, settings, build steps, generated files, examples, and manual scripts. */
const NO_TEST_NEEDED = new RegExp(
  [
    String.raw`\.d\.[cm]?ts$`,
    String.raw`[.-]min\.[cm]?js$`,
    String.raw`\.(?:config|conf|setup|stories|gen|generated|bench)\.[cm]?[jt]sx?$`,
    String.raw`(?:^|/)\.`,
    String.raw`(?:^|/)(?:gulpfile|gruntfile|jakefile|rollup|webpack|vite|karma|build|bench(?:mark)?s?|examples?|demo|setup|release|publish|postinstall|install|verbfile)\.[cm]?[jt]sx?$`,
    String.raw`(?:^|/)(?:setup|conf|noxfile|tasks|fabfile|manage|__main__|_?version|__about__|wsgi|asgi)\.py$`,
    String.raw`(?:^|/)(?:examples?|docs?|demos?|fixtures?|testdata|mocks?|__mocks__|migrations?|scripts?|tools?|bench(?:marks?)?|generated|codemods|public|static|assets|types|typings)/`,
  ].join("|"),
  "i",
);

export function isTest(path: string): boolean {
  return SOURCE.test(path) && (TEST_FOLDER.test(path) || TEST_NAME.test(path)) && !isForeign(path);
}

export function needsTest(path: string): boolean {
  return SOURCE.test(path) && !isTest(path) && !isForeign(path) && !NO_TEST_NEEDED.test(path);
}

/** Whether a file is minified, or generated according to its first lines. */
export function isGenerated(text: string): boolean {
  const head = text.slice(0, 2_000);
  const isPacked = text.length > 5_000 && text.length / (text.split("\n").length || 1) > 300;
  return (
    isPacked ||
    /@generated\b|\bDO NOT (?:EDIT|MODIFY)\b|\b(?:auto-?generated|automatically generated|code generated)\b/i.test(head)
  );
}

const FOLLOWED = /\.(?:[cm]?[jt]sx?|py)$/;

/** Sources that no test reaches and no test is named after. */
export async function findUntested(tree: Tree): Promise<readonly string[]> {
  const tests = [...tree.files.keys()].filter(isTest);
  const reached = await reachedBy(tree, tests);
  const related = relatedNames(tests);
  const isNamed = await mentionedBy(
    tree,
    tests.filter((path) => !FOLLOWED.test(path)),
  );
  return [...tree.files.keys()].filter(
    (path) => needsTest(path) && !reached.has(path) && !related.has(path) && (FOLLOWED.test(path) || !isNamed(path)),
  );
}

/** Other languages: a test beside it in Go, a test in its name in all others. */
export async function mentionedBy(tree: Tree, tests: readonly string[]): Promise<(path: string) => boolean> {
  const goFolders = new Set(tests.filter((path) => path.endsWith("_test.go")).map((path) => posix.dirname(path)));
  const tokens = new Set<string>();
  for (const path of tests) for (const [token] of ((await tree.read(path)) ?? "").matchAll(/\w+/g)) tokens.add(token);
  return (path) =>
    path.endsWith(".go")
      ? goFolders.has(posix.dirname(path))
      : tokens.has(posix.basename(path).replace(/\.[^.]+$/, ""));
}
