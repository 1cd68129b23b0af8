/** How many exports of a source the tests assert, directly or through re-exports. */
import { quotedPathsOf, specifiersOf, type PythonImport } from "./imports.ts";
import { assertedIn } from "./js-coverage.ts";
import { bindingsOf, readJsModule, WHOLE, type ReExport, type JsModule } from "./js-module.ts";
import { createJsResolver, type JsResolver } from "./js-resolve.ts";
import { assertedInPython } from "./python-coverage.ts";
import { readPythonModule, type PythonModule } from "./python-module.ts";
import { createPythonResolver } from "./python-resolve.ts";
import { isTest, mentionedBy } from "./tests.ts";
import type { Tree } from "./tree.ts";

export interface Coverage {
  readonly exported: readonly string[];
  readonly asserted: ReadonlySet<string>;
  readonly isImported: boolean;
}

const JS = /\.[cm]?[jt]sx?$/;

export async function coverageOf(tree: Tree, path: string): Promise<Coverage> {
  const tests = [...tree.files.keys()].filter((file) => isTest(file) && file !== path && !/-d\.[cm]?ts$/.test(file));
  if (JS.test(path)) return jsCoverage(tree, path, tests);
  if (path.endsWith(".py")) return pythonCoverage(tree, path, tests);
  return { exported: [], asserted: new Set(), isImported: (await mentionedBy(tree, tests))(path) };
}

/** A quarter of the names, so that one assertion does not cover a long file; at most ten. */
export function requiredAssertions({ length }: readonly string[]): number {
  return Math.min(10, Math.ceil(length / 4));
}

async function jsCoverage(tree: Tree, path: string, tests: readonly string[]): Promise<Coverage> {
  const resolver = await createJsResolver(tree);
  const source = readJsModule(path, (await tree.read(path)) ?? "");
  if (source === null) return { exported: [], asserted: new Set(), isImported: false };
  const carriers = await carriersOf(tree, path, { resolver, source });
  const lookUp = createLookUp(path, carriers, resolver);
  const asserted = new Set<string>();
  let isImported = false;
  for (const test of tests) {
    if (!JS.test(test)) continue;
    const text = (await tree.read(test)) ?? "";
    const specifiers = source.own.size === 0 ? [...specifiersOf(text), ...quotedPathsOf(text)] : specifiersOf(text);
    if (!specifiers.some((specifier) => resolver.resolve(test, specifier).some((file) => carriers.has(file)))) continue;
    const module = readJsModule(test, text);
    if (module === null) continue;
    isImported = true;
    const lead = ({ specifier, name }: ReExport, member: string | null) =>
      union(resolver.resolve(test, specifier).map((file) => lookUp.credit(file, name, member)));
    const bindings = bindingsOf(module.program.body);
    const isHelper = (name: string) => resolver.resolve(test, bindings.get(name)?.specifier ?? "").some(isTest);
    for (const name of assertedIn({ module, lead, isHelper })) asserted.add(name);
  }
  return { exported: [...source.own], asserted, isImported };
}

interface From {
  readonly resolver: JsResolver;
  readonly source: JsModule;
}

/** The source, and the files that re-export its names. */
async function carriersOf(
  tree: Tree,
  path: string,
  { resolver, source }: From,
): Promise<ReadonlyMap<string, JsModule>> {
  const importers = new Map<string, string[]>();
  for (const file of tree.files.keys()) {
    if (!JS.test(file) || file === path) continue;
    const text = (await tree.read(file)) ?? "";
    if (!/\bexport\b[^;]*\bfrom\b|\bimport\b[^]*\bexport\b|\bexports\b/.test(text)) continue;
    for (const from of specifiersOf(text).flatMap((specifier) => resolver.resolve(file, specifier)))
      importers.set(from, [...(importers.get(from) ?? []), file]);
  }
  const carriers = new Map([[path, source]]);
  const waiting = [path];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
    for (const file of importers.get(next) ?? []) {
      const module = carriers.has(file) ? null : readJsModule(file, (await tree.read(file)) ?? "");
      if (module === null || module.handed.size + module.stars.length === 0) continue;
      carriers.set(file, module);
      waiting.push(file);
    }
  return carriers;
}

function createLookUp(path: string, carriers: ReadonlyMap<string, JsModule>, resolver: JsResolver) {
  const lookUp = (file: string, name: string, seen: ReadonlySet<string>): ReadonlySet<string> => {
    const module = carriers.get(file);
    const key = `${file}\0${name}`;
    if (module === undefined || seen.has(key)) return new Set();
    if (file === path && module.own.has(name)) return new Set([name]);
    const deeper = new Set([...seen, key]);
    const handed = module.handed.get(name);
    const next = handed === undefined ? module.stars.map((specifier) => ({ specifier, name })) : [handed];
    return union(
      next.flatMap((entry) =>
        resolver
          .resolve(file, entry.specifier)
          .map((to) => lookUp(to, entry.name === WHOLE ? "default" : entry.name, deeper)),
      ),
    );
  };
  const credit = (file: string, name: string, member: string | null, depth = 0): ReadonlySet<string> => {
    const handed = carriers.get(file)?.handed.get(name);
    if (handed?.name === WHOLE && depth < 8)
      return union(resolver.resolve(file, handed.specifier).map((to) => credit(to, WHOLE, member, depth + 1)));
    if (name !== WHOLE && name !== "default") return lookUp(file, name, new Set());
    const ofMember = member === null ? new Set<string>() : lookUp(file, member, new Set());
    return ofMember.size > 0 ? ofMember : lookUp(file, "default", new Set());
  };
  return { credit };
}

async function pythonCoverage(tree: Tree, path: string, tests: readonly string[]): Promise<Coverage> {
  const resolver = createPythonResolver(tree);
  const modules = new Map<string, PythonModule>();
  for (const file of tree.files.keys())
    if (file === path || (/(?:^|\/)__init__\.py$/.test(file) && !isTest(file)))
      modules.set(file, readPythonModule((await tree.read(file)) ?? ""));
  const own = modules.get(path)?.own ?? new Set<string>();
  const lookUp = (file: string, name: string, depth = 0): ReadonlySet<string> => {
    if (file === path && own.has(name)) return new Set([name]);
    const imports = depth > 6 ? [] : (modules.get(file)?.imports ?? []);
    const handing = imports.filter(({ names }) => names.some(({ local }) => local === name || local === "*"));
    return union(
      handing.flatMap((statement) => {
        const from = statement.names.find(({ local }) => local === name)?.name ?? name;
        return resolver.resolve(file, { ...statement, names: [] }).map((to) => lookUp(to, from, depth + 1));
      }),
    );
  };
  const asserted = new Set<string>();
  let isImported = false;
  for (const test of tests) {
    if (!test.endsWith(".py")) continue;
    const text = (await tree.read(test)) ?? "";
    const files = (statement: PythonImport) => resolver.resolve(test, statement);
    const reaches = (statement: PythonImport) => files(statement).some((file) => modules.has(file));
    if (!readPythonModule(text).imports.some(reaches)) continue;
    isImported ||= readPythonModule(text).imports.some((statement) => files(statement).includes(path));
    for (const name of assertedInPython(text, (statement, name) =>
      union(files(statement).map((file) => lookUp(file, name ?? ""))),
    ))
      asserted.add(name);
  }
  return { exported: [...own], asserted, isImported: isImported || asserted.size > 0 };
}

function union(sets: readonly ReadonlySet<string>[]): ReadonlySet<string> {
  return new Set(sets.flatMap((set) => [...set]));
}
