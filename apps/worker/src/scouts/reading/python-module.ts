/** One Python file, read by its lines: its definitions and its re-exports. */
import { pythonImportsOf, type PythonImport } from "./imports.ts";

export interface PythonModule {
  /** Public names defined here. */
  readonly own: ReadonlySet<string>;
  readonly imports: readonly PythonImport[];
}

const DEFINITION = /^(?:(?:async[ \t]+)?def|class)[ \t]+([A-Za-z]\w*)|^([A-Za-z]\w*)[ \t]*(?::[^=\n]+)?=(?!=)/gm;

export function readPythonModule(text: string): PythonModule {
  const code = withoutStrings(text);
  const names = Array.from(code.matchAll(DEFINITION), ([, defined, assigned]) => defined ?? assigned);
  return { own: new Set(names), imports: pythonImportsOf(code) };
}

/** Removes comments and empties strings; line numbers stay. */
export function withoutStrings(text: string): string {
  return text.replaceAll(/("""|''')[^]*?\1|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|#[^\n]*/g, (found) =>
    found.startsWith("#") ? "" : `""${found.replaceAll(/[^\n]/g, "")}`,
  );
}
