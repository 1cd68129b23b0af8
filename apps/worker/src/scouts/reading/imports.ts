/** Imports of a source file, by regular expressions: one scan reads thousands of files. */
const SPECIFIERS = [
  /\b(?:from|import|require)\s*\(?\s*["']([^"'\n]+)["']/g,
  /\bimport\s*\(\s*["'`]([^"'`\n]+)["'`]/g,
  /\bnew URL\(\s*["']([^"'\n]+)["']\s*,\s*import\.meta\.url/g,
];

export function specifiersOf(text: string): readonly string[] {
  return SPECIFIERS.flatMap((pattern) => Array.from(text.matchAll(pattern), ([, name]) => name));
}

/** Every quoted string that could be a path, because tests start programs and read files by path. */
export function quotedPathsOf(text: string): readonly string[] {
  return Array.from(text.matchAll(/["'`]([\w@.][\w@./+-]{0,200})["'`]/g), ([, path]) => path).filter((path) =>
    /^\.|\/|\.\w+$/.test(path),
  );
}

const PYTHON_IMPORTS =
  /^[ \t]*(?:from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+(?:\(([^)]*)\)|([^\n]*))|import[ \t]+([^\n]+))/gm;

export interface PythonImport {
  /** Name of the module, with leading dots. */
  readonly module: string;
  readonly names: readonly { readonly name: string; readonly local: string }[];
  /** `import a.b as c`: the local name; null after `from`. */
  readonly local: string | null;
}

export function pythonImportsOf(text: string): readonly PythonImport[] {
  const code = text.replaceAll(/#.*$/gm, "").replaceAll(/\\\n/g, " ");
  return Array.from(code.matchAll(PYTHON_IMPORTS)).flatMap(([, module, inside, line, plain]): PythonImport[] => {
    if (plain === undefined) return [{ module, names: namesIn(inside ?? line ?? ""), local: null }];
    return namesIn(plain).map(({ name, local }) => ({ module: name, names: [], local }));
  });
}

function namesIn(list: string): PythonImport["names"] {
  return list.split(",").flatMap((part) => {
    const [, name, alias] = /^\s*([\w.]+|\*)(?:\s+as\s+(\w+))?\s*$/.exec(part) ?? [];
    return name === undefined ? [] : [{ name, local: alias ?? name }];
  });
}
