/** Files that tests reach: those that tests import or name, and their transitive imports. */
import { posix } from "node:path";
import { pythonImportsOf, quotedPathsOf, specifiersOf } from "./imports.ts";
import { createJsResolver } from "./js-resolve.ts";
import { objectOf, parseObject } from "./json.ts";
import { createPythonResolver } from "./python-resolve.ts";
import type { Tree } from "./tree.ts";

const JS = /\.(?:[cm]?[jt]sx?|vue|svelte)$/;

/** Every import counts: missing a finding is better than reporting a tested file. */
export async function reachedBy(tree: Tree, tests: readonly string[]): Promise<ReadonlySet<string>> {
  const js = await createJsResolver(tree);
  const python = createPythonResolver(tree);
  const isTest = new Set(tests);
  const reached = new Set([...tests, ...(await startedByScripts(tree))]);
  const waiting = [...reached];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const text = (await tree.read(path)) ?? "";
    for (const found of [...importedBy(path, text), ...(isTest.has(path) ? namedBy(path, text) : [])]) {
      if (reached.has(found)) continue;
      reached.add(found);
      waiting.push(found);
    }
  }
  return reached;

  function importedBy(path: string, text: string): readonly string[] {
    if (path.endsWith(".py")) return pythonImportsOf(text).flatMap((statement) => python.resolve(path, statement));
    return JS.test(path) ? specifiersOf(text).flatMap((specifier) => js.resolve(path, specifier)) : [];
  }

  function namedBy(path: string, text: string): readonly string[] {
    const quoted = quotedPathsOf(text);
    return quoted.flatMap((quotedPath) => {
      const beside = posix.normalize(posix.join(posix.dirname(path), quotedPath));
      const files = [beside, posix.normalize(quotedPath)].filter((candidate) => tree.files.has(candidate));
      return quotedPath.startsWith(".") && JS.test(path) ? [...files, ...js.resolve(path, quotedPath)] : files;
    });
  }
}

/** Files named by the test scripts of package.json. */
async function startedByScripts(tree: Tree): Promise<readonly string[]> {
  const scripts = Object.entries(objectOf(parseObject(await tree.read("package.json"))?.["scripts"]));
  return scripts
    .filter(([name]) => /test|check|verify|spec/i.test(name))
    .flatMap(([, command]) => String(command).split(/[\s"']+/))
    .map((argument) => posix.normalize(argument || "."))
    .filter((path) => tree.files.has(path));
}
