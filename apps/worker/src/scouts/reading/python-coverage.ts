/** Names of a Python module that a test asserts, read by lines: an assertion contains the name or a value derived from it. */
import { pythonImportsOf, type PythonImport } from "./imports.ts";
import { withoutStrings } from "./python-module.ts";

/** The source's names behind this import; for a whole module, all of them by member. */
export type LeadPython = (imported: PythonImport, name: string | null) => ReadonlySet<string>;

const ASSERTION = /^\s*assert\b|\bself\.(?:assert|fail)\w*\s*\(|\b(?:pytest\.)?(?:raises|warns)\s*\(|\bassert_\w+\s*\(/;

export function assertedInPython(text: string, lead: LeadPython): ReadonlySet<string> {
  const code = withoutStrings(text);
  const lines = logicalLines(code);
  const origins = new Map<string, Set<string>>();
  const modules: (readonly [RegExp, PythonImport])[] = [];
  for (const statement of pythonImportsOf(code)) {
    for (const { name, local } of statement.names) addTo(origins, local, lead(statement, name));
    const locals = statement.local === null ? statement.names.map(({ local }) => local) : [statement.local];
    for (const local of locals)
      modules.push([new RegExp(`\\b${local.replaceAll(".", "\\.")}((?:\\.\\w+)+)`, "g"), statement]);
  }
  for (let pass = 0; pass < 6; pass++) for (const [index, line] of lines.entries()) derive(index, line);
  const asserted = new Set<string>();
  for (const [index, line] of lines.entries()) {
    if (!ASSERTION.test(line)) continue;
    for (const row of [line, ...(/:\s*$/.test(line) ? blockAfter(lines, index) : [])])
      for (const name of mentionedIn(row)) asserted.add(name);
  }
  return asserted;

  function derive(index: number, line: string): void {
    const [, target, value] = /^\s*([\w.,\s()]+?)\s*(?::[^=]+)?=(?!=)(.*)$/s.exec(line) ?? [];
    if (target !== undefined) give(target, mentionedIn(value));
    const [, bound = "", names] = /^\s*(?:async\s+)?(?:with|for)\b(.*?)\b(?:as|in)\b(.*):\s*$/s.exec(line) ?? [];
    if (names !== undefined) give(line.trimStart().startsWith("for") ? bound : names, mentionedIn(line));
    const [, defined] = /^\s*(?:async\s+)?(?:def|class)\s+(\w+)/.exec(line) ?? [];
    // A fixture has the value of its function, but nothing refers to the name of a test.
    if (defined !== undefined && !/^test/i.test(defined))
      give(defined, new Set(blockAfter(lines, index).flatMap((row) => [...mentionedIn(row)])));
  }

  function give(targets: string, from: ReadonlySet<string>): void {
    for (const [name] of targets.matchAll(/\w+/g)) if (name !== "self" && name !== "cls") addTo(origins, name, from);
  }

  function mentionedIn(line: string): ReadonlySet<string> {
    const found = new Set<string>();
    for (const [token] of line.matchAll(/[A-Za-z_]\w*/g)) for (const name of origins.get(token) ?? []) found.add(name);
    for (const [pattern, imported] of modules)
      for (const [, members] of line.matchAll(pattern))
        for (const member of members.split(".").filter(Boolean))
          for (const name of lead(imported, member)) found.add(name);
    return found;
  }
}

function addTo(origins: Map<string, Set<string>>, name: string, from: ReadonlySet<string>): void {
  if (from.size === 0) return;
  origins.set(name, new Set([...(origins.get(name) ?? []), ...from]));
}

/** Joins the lines of bracketed text. */
function logicalLines(code: string): readonly string[] {
  const lines: string[] = [];
  let depth = 0;
  for (const line of code.replaceAll(/\\\n/g, " ").split("\n")) {
    if (depth > 0) lines.push(`${lines.pop() ?? ""} ${line.trim()}`);
    else lines.push(line);
    for (const [bracket] of line.matchAll(/[()[\]{}]/g))
      depth = Math.max(0, depth + ("([{".includes(bracket) ? 1 : -1));
  }
  return lines;
}

function blockAfter(lines: readonly string[], index: number): readonly string[] {
  const indent = (line: string) => line.length - line.trimStart().length;
  const end = lines.findIndex(
    (line, position) => position > index && line.trim() !== "" && indent(line) <= indent(lines[index]),
  );
  return lines.slice(index + 1, end === -1 ? undefined : end);
}
