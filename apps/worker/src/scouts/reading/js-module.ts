/** One parsed JavaScript or TypeScript file: its own exports and its re-exports. */
import { parse, type ParserOptions } from "@babel/parser";
import type * as t from "@babel/types";

/** A name of another module, `*` for all of them. */
export interface ReExport {
  readonly specifier: string;
  readonly name: string;
}

export interface JsModule {
  readonly program: t.File["program"];
  /** Runtime values only, no types. A whole `module.exports` is `default`. */
  readonly own: ReadonlySet<string>;
  /** Re-exported names. */
  readonly handed: ReadonlyMap<string, ReExport>;
  /** `export * from`, `module.exports = require(…)`. */
  readonly stars: readonly string[];
  /** Whether the file does more than import, export and declare types. */
  readonly hasCode: boolean;
}

/** Null if it cannot be parsed. */
export function readJsModule(path: string, text: string): JsModule | null {
  const file = parsed(path, text);
  if (file === null) return null;
  const found = { own: new Set<string>(), handed: new Map<string, ReExport>(), stars: [] as string[] };
  const imported = bindingsOf(file.program.body);
  for (const statement of file.program.body) readStatement(statement, { ...found, imported });
  return { program: file.program, ...found, hasCode: file.program.body.some((statement) => !isWiring(statement)) };
}

function parsed(path: string, text: string): t.File | null {
  const isTyped = /\.[cm]?ts$/.test(path);
  const attempts: ParserOptions["plugins"][] = isTyped
    ? [["typescript", "decorators"]]
    : path.endsWith(".tsx")
      ? [["typescript", "jsx", "decorators"]]
      : [
          ["jsx", "decorators"],
          ["flow", "jsx"],
        ];
  for (const plugins of attempts)
    try {
      return parse(text, {
        sourceType: "unambiguous",
        allowReturnOutsideFunction: true,
        allowAwaitOutsideFunction: true,
        plugins,
      });
    } catch {
      continue;
    }
  return null;
}

/** The target of each local name of an import or a top-level `require`. */
export function bindingsOf(body: readonly t.Statement[]): ReadonlyMap<string, ReExport> {
  const found = new Map<string, ReExport>();
  for (const statement of body) {
    if (statement.type === "ImportDeclaration" && statement.importKind !== "type")
      for (const specifier of statement.specifiers)
        found.set(specifier.local.name, { specifier: statement.source.value, name: importedName(specifier) });
    if (
      statement.type === "TSImportEqualsDeclaration" &&
      statement.moduleReference.type === "TSExternalModuleReference"
    )
      found.set(statement.id.name, { specifier: statement.moduleReference.expression.value, name: WHOLE });
    if (statement.type === "VariableDeclaration")
      for (const { id, init } of statement.declarations) bindRequire(id, init ?? null, found);
  }
  return found;
}

/** `*` of an import, and the result of `require`: the namespace, or a default used as one. */
export const WHOLE = "*";

function importedName(specifier: t.ImportDeclaration["specifiers"][number]): string {
  if (specifier.type === "ImportNamespaceSpecifier") return WHOLE;
  return specifier.type === "ImportDefaultSpecifier" ? "default" : nameOf(specifier.imported);
}

/** Also binds names of `await import(…)` and of a member: `require("./a").b`. */
export function bindRequire(id: t.Node, init: t.Node | null, found: Map<string, ReExport>): void {
  const required = init === null ? null : requiredBy(init);
  if (required === null) return;
  if (id.type === "Identifier") found.set(id.name, required);
  if (id.type !== "ObjectPattern" || required.name !== WHOLE) return;
  for (const property of id.properties) {
    if (property.type !== "ObjectProperty" || property.value.type !== "Identifier") continue;
    found.set(property.value.name, { ...required, name: keyOf(property.key) });
  }
}

export function requiredBy(node: t.Node): ReExport | null {
  if (node.type === "AwaitExpression") return requiredBy(node.argument);
  if (node.type === "MemberExpression") {
    const of = requiredBy(node.object);
    return of === null || of.name !== WHOLE ? null : { ...of, name: keyOf(node.property) };
  }
  if (node.type === "ImportExpression") return node.source.type === "StringLiteral" ? whole(node.source.value) : null;
  if (node.type !== "CallExpression" || node.callee.type !== "Identifier") return null;
  const [argument] = node.arguments;
  if (argument?.type === "StringLiteral" && node.callee.name === "require") return whole(argument.value);
  // `interop(require("./a"))`, as compilers write it.
  return argument !== undefined && /^_*interop/.test(node.callee.name) ? requiredBy(argument) : null;
}

function whole(specifier: string): ReExport {
  return { specifier, name: WHOLE };
}

interface ReadState {
  readonly own: Set<string>;
  readonly handed: Map<string, ReExport>;
  readonly stars: string[];
  readonly imported: ReadonlyMap<string, ReExport>;
}

function readStatement(statement: t.Statement, reading: ReadState): void {
  if (statement.type === "ExportAllDeclaration" && statement.exportKind !== "type")
    reading.stars.push(statement.source.value);
  if (statement.type === "ExportDefaultDeclaration" && statement.declaration.type !== "TSInterfaceDeclaration")
    exportValue("default", statement.declaration, reading);
  if (statement.type === "TSExportAssignment") exportValue("default", statement.expression, reading);
  if (statement.type === "ExportNamedDeclaration") readNamed(statement, reading);
  if (statement.type === "ExpressionStatement") readAssignment(statement.expression, reading);
}

function readNamed(
  { declaration, specifiers, source, exportKind }: t.ExportNamedDeclaration,
  reading: ReadState,
): void {
  if (exportKind === "type") return;
  for (const specifier of specifiers) {
    const exported = nameOf(specifier.exported);
    if (specifier.type !== "ExportSpecifier") reading.handed.set(exported, whole(source?.value ?? ""));
    else if (source !== null && source !== undefined)
      reading.handed.set(exported, { specifier: source.value, name: nameOf(specifier.local) });
    else exportValue(exported, specifier.local, reading);
  }
  if (declaration === null || declaration === undefined || ("declare" in declaration && declaration.declare === true))
    return;
  if (declaration.type === "VariableDeclaration")
    for (const { id } of declaration.declarations) for (const name of namesIn(id)) reading.own.add(name);
  else if (VALUES.has(declaration.type) && "id" in declaration && declaration.id?.type === "Identifier")
    reading.own.add(declaration.id.name);
}

const VALUES: ReadonlySet<string> = new Set(["FunctionDeclaration", "ClassDeclaration", "TSEnumDeclaration"]);

function exportValue(name: string, value: t.Node, { own, handed, imported, stars }: ReadState): void {
  const from = value.type === "Identifier" ? imported.get(value.name) : requiredBy(value);
  if (from === undefined || from === null) own.add(name);
  else if (name === "default" && from.name === WHOLE) stars.push(from.specifier);
  else handed.set(name, from);
}

/** `module.exports = …`, `exports.name = …`, also chained. */
function readAssignment(expression: t.Expression, reading: ReadState): void {
  if (expression.type !== "AssignmentExpression") return;
  const { left, right } = expression;
  if (right.type === "AssignmentExpression") readAssignment(right, reading);
  const value = lastValue(right);
  const name = exportedBy(left);
  if (name === null) return;
  if (name !== WHOLE) return exportValue(name, value, reading);
  if (value.type !== "ObjectExpression") return exportValue("default", value, reading);
  for (const property of value.properties)
    if (property.type === "SpreadElement") {
      const from = requiredBy(property.argument) ?? reading.imported.get(identifierOf(property.argument));
      if (from !== undefined) reading.stars.push(from.specifier);
    } else if (property.type === "ObjectMethod") reading.own.add(keyOf(property.key));
    else exportValue(keyOf(property.key), property.value, reading);
}

function lastValue(node: t.Expression): t.Expression {
  return node.type === "AssignmentExpression" ? lastValue(node.right) : node;
}

/** The name exported by an assignment to it, `*` for all of `module.exports`; null for every other target. */
function exportedBy(left: t.Node): string | null {
  if (left.type !== "MemberExpression") return null;
  const of = identifierOf(left.object);
  const property = keyOf(left.property);
  if (of === "exports") return property;
  if (of === "module") return property === "exports" ? WHOLE : null;
  return exportedBy(left.object) === WHOLE ? property : null;
}

const WIRING: ReadonlySet<string> = new Set([
  "EmptyStatement",
  "ExportAllDeclaration",
  "ImportDeclaration",
  "InterfaceDeclaration",
  "TSDeclareFunction",
  "TSExportAssignment",
  "TSImportEqualsDeclaration",
  "TSInterfaceDeclaration",
  "TSModuleDeclaration",
  "TSNamespaceExportDeclaration",
  "TSTypeAliasDeclaration",
  "TypeAlias",
]);

/** Nothing to test: imports, re-exports, types, directives. */
function isWiring(statement: t.Statement): boolean {
  if (statement.type === "ExportNamedDeclaration")
    return statement.declaration === null || statement.declaration === undefined || isWiring(statement.declaration);
  if (statement.type === "ExportDefaultDeclaration")
    return statement.declaration.type === "Identifier" || statement.declaration.type === "TSInterfaceDeclaration";
  if (statement.type === "VariableDeclaration")
    return (
      statement.declare === true ||
      statement.declarations.every(({ init }) => init !== null && init !== undefined && requiredBy(init) !== null)
    );
  return statement.type === "ExpressionStatement" ? isHandingOn(statement.expression) : WIRING.has(statement.type);
}

function isHandingOn(expression: t.Expression): boolean {
  if (requiredBy(expression) !== null) return true;
  if (expression.type !== "AssignmentExpression" || exportedBy(expression.left) === null) return false;
  const value = lastValue(expression);
  const isName = (node: t.Node) => node.type === "Identifier" || requiredBy(node) !== null;
  return value.type === "ObjectExpression"
    ? value.properties.every(
        (property) =>
          property.type !== "ObjectMethod" &&
          isName(property.type === "SpreadElement" ? property.argument : property.value),
      )
    : isName(value);
}

/** The names that a pattern binds. */
export function namesIn(pattern: t.Node): readonly string[] {
  if (pattern.type === "Identifier") return [pattern.name];
  if (pattern.type === "ArrayPattern")
    return pattern.elements.flatMap((element) => (element === null ? [] : namesIn(element)));
  if (pattern.type === "AssignmentPattern") return namesIn(pattern.left);
  if (pattern.type === "RestElement") return namesIn(pattern.argument);
  return pattern.type === "ObjectPattern"
    ? pattern.properties.flatMap((property) =>
        namesIn(property.type === "RestElement" ? property.argument : property.value),
      )
    : [];
}

export function identifierOf(node: t.Node): string {
  return node.type === "Identifier" ? node.name : "";
}

export function keyOf(node: t.Node): string {
  return node.type === "StringLiteral" ? node.value : identifierOf(node);
}

function nameOf(node: t.Identifier | t.StringLiteral): string {
  return node.type === "Identifier" ? node.name : node.value;
}
