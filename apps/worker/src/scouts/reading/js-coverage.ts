/**
 * Exported names that a test asserts: an assertion contains the name or a derived value. Names are tracked by spelling within one file,
 * without scopes.
 */
import type * as t from "@babel/types";
import { assertionsOf, isExistenceCheck, isSkipped } from "./assertions.ts";
import { chainOf, childrenOf, isFunction, walk } from "./ast.ts";
import { bindRequire, bindingsOf, keyOf, namesIn, type ReExport, type JsModule } from "./js-module.ts";

export interface TestFile {
  readonly module: JsModule;
  /** The source's exports behind an imported name, with the member in use. */
  readonly lead: (binding: ReExport, member: string | null) => ReadonlySet<string>;
  readonly isHelper: (name: string) => boolean;
}

type Names = Set<string>;

export function assertedIn({ module: { program }, lead, isHelper }: TestFile): ReadonlySet<string> {
  const bindings = allBindingsOf(program);
  const derived = new Map<string, Names>();
  const { isAssertion } = assertionsOf(program, isHelper);
  follow();
  const asserted: Names = new Set();
  walk(program, (node) => {
    if (node.type === "CallExpression" && isSkipped(node)) return false;
    if (node.type === "CallExpression" && isAssertion(node) && !isExistenceCheck(node))
      addAll(asserted, mentionedIn(node));
    if (node.type === "IfStatement" && isEnding(node.consequent)) addAll(asserted, mentionedIn(node.test));
    if (isFunction(node) && node.body.type === "BlockStatement")
      addAll(asserted, renderedIn(node.body, isAssertion, mentionedIn));
    return true;
  });
  return asserted;

  /** Values derived from the names, to a fixed point. */
  function follow(): void {
    for (let size = -1, pass = 0; size !== total(derived) && pass < 8; pass++) {
      size = total(derived);
      walk(program, (node) => {
        if (node.type === "VariableDeclarator" && node.init !== null && node.init !== undefined)
          derive(namesIn(node.id), mentionedIn(node.init));
        else if (node.type === "AssignmentExpression") derive([chainOf(node.left)[0] ?? ""], mentionedIn(node.right));
        else if (node.type === "FunctionDeclaration" && node.id) derive([node.id.name], mentionedIn(node.body));
        else if (node.type === "ForOfStatement") derive(declaredBy(node.left), mentionedIn(node.right));
        else if (node.type === "CallExpression" && !isAssertion(node)) followCall(node);
      });
    }
  }

  /** Callbacks receive results of the call; it may also change its arguments and object. */
  function followCall(call: t.CallExpression): void {
    const plain = call.arguments.filter((argument) => !isFunction(argument));
    const about: Names = new Set();
    for (const node of [call.callee, ...plain]) addAll(about, mentionedIn(node));
    if (about.size === 0) return;
    for (const argument of call.arguments) if (isFunction(argument)) derive(argument.params.flatMap(namesIn), about);
    const changed = [...plain, call.callee].flatMap((expression) =>
      expression.type === "Identifier" || expression.type === "MemberExpression" ? chainOf(expression).slice(0, 1) : [],
    );
    derive(changed, about);
  }

  function derive(names: readonly string[], from: ReadonlySet<string>): void {
    if (from.size === 0) return;
    for (const name of names)
      if (name !== "" && !bindings.has(name)) derived.set(name, new Set([...(derived.get(name) ?? []), ...from]));
  }

  function mentionedIn(node: t.Node): Names {
    const found: Names = new Set();
    walk(node, (current) => {
      if (current.type === "MemberExpression" || current.type === "JSXMemberExpression") {
        if (addNamed(current.object, keyOf(current.property), found)) return false;
        for (const child of childrenOf(current))
          if (child !== current.property || ("computed" in current && current.computed))
            addAll(found, mentionedIn(child));
        return false;
      }
      if (current.type === "ObjectProperty" && !current.computed) {
        addAll(found, mentionedIn(current.value));
        return false;
      }
      addNamed(current, null, found);
      return true;
    });
    return found;
  }

  function addNamed(node: t.Node, member: string | null, found: Names): boolean {
    if (node.type !== "Identifier" && node.type !== "JSXIdentifier") return false;
    const binding = bindings.get(node.name);
    if (binding !== undefined) addAll(found, lead(binding, member));
    addAll(found, derived.get(node.name) ?? new Set());
    return true;
  }
}

function allBindingsOf(program: t.Program): Map<string, ReExport> {
  const bindings = new Map(bindingsOf(program.body));
  walk(program, (node) => {
    if (node.type !== "VariableDeclarator") return;
    bindRequire(node.id, node.init ?? null, bindings);
    if (node.init?.type === "Identifier" && node.id.type === "ObjectPattern")
      bindMembers(node.id, bindings.get(node.init.name), bindings);
  });
  return bindings;
}

/** `render(<Button />)` followed by assertions about the page: the result is not a value of the test. */
function renderedIn(
  { body }: t.BlockStatement,
  isAssertion: (call: t.CallExpression) => boolean,
  mentionedIn: (node: t.Node) => Names,
): Names {
  const rendered: Names = new Set();
  let isAsserted = false;
  for (const statement of body)
    walk(statement, (node) => {
      if (node.type === "JSXOpeningElement") addAll(rendered, mentionedIn(node.name));
      if (node.type === "CallExpression" && rendered.size > 0 && isAssertion(node) && isAboutValues(node))
        isAsserted = true;
    });
  return isAsserted ? rendered : new Set();
}

/** Whether the assertion is about more than literals. */
function isAboutValues(call: t.CallExpression): boolean {
  let calls = 0;
  walk(call, (node) => {
    if (node.type === "CallExpression" || node.type === "Identifier") calls++;
  });
  return calls > chainOf(call.callee).length + 1;
}

function bindMembers(pattern: t.ObjectPattern, binding: ReExport | undefined, bindings: Map<string, ReExport>): void {
  if (binding === undefined || (binding.name !== "*" && binding.name !== "default")) return;
  for (const property of pattern.properties)
    if (property.type === "ObjectProperty" && property.value.type === "Identifier")
      bindings.set(property.value.name, { specifier: binding.specifier, name: keyOf(property.key) });
}

function isEnding(statement: t.Statement): boolean {
  let isEnded = false;
  walk(statement, (node) => {
    if (node.type === "ThrowStatement") isEnded = true;
    if (node.type === "CallExpression" && chainOf(node.callee).join(".") === "process.exit") isEnded = true;
  });
  return isEnded;
}

function declaredBy(left: t.Node): readonly string[] {
  return left.type === "VariableDeclaration" ? left.declarations.flatMap(({ id }) => namesIn(id)) : namesIn(left);
}

function addAll(to: Set<string>, from: ReadonlySet<string>): void {
  for (const name of from) to.add(name);
}

function total(derived: ReadonlyMap<string, Names>): number {
  let sum = 0;
  for (const names of derived.values()) sum += names.size;
  return sum;
}
