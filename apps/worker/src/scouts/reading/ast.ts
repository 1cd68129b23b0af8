/** Traversal of the parser's trees. */
import type * as t from "@babel/types";

function isNode(value: unknown): value is t.Node {
  return (
    typeof value === "object" && value !== null && "type" in value && typeof value.type === "string" && "start" in value
  );
}

export function childrenOf(node: t.Node): readonly t.Node[] {
  return Object.entries(node).flatMap(([name, value]) => {
    if (name === "loc" || name.endsWith("Comments") || name === "comments" || name === "typeAnnotation") return [];
    return Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [];
  });
}

/** Parents before children; where `visit` returns false, the children are skipped. */
export function walk(node: t.Node, visit: (node: t.Node) => boolean | void): void {
  if (visit(node) === false) return;
  for (const child of childrenOf(node)) walk(child, visit);
}

export function isFunction(
  node: t.Node,
): node is t.FunctionDeclaration | t.FunctionExpression | t.ArrowFunctionExpression {
  return (
    node.type === "FunctionDeclaration" || node.type === "FunctionExpression" || node.type === "ArrowFunctionExpression"
  );
}

/** The names of a call's target from the left: `expect(a).not.toBe` is expect, not, toBe. */
export function chainOf(callee: t.Node): readonly string[] {
  if (callee.type === "Identifier") return [callee.name];
  if (callee.type === "MemberExpression" || callee.type === "OptionalMemberExpression")
    return [...chainOf(callee.object), callee.property.type === "Identifier" ? callee.property.name : ""];
  if (callee.type === "CallExpression" || callee.type === "OptionalCallExpression") return chainOf(callee.callee);
  return callee.type === "AwaitExpression" ? chainOf(callee.argument) : [""];
}
