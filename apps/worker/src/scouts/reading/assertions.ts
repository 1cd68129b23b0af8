/** Detects assertions in a test, for the usual libraries. */
import type * as t from "@babel/types";
import { chainOf, isFunction, walk } from "./ast.ts";
import { bindingsOf, namesIn } from "./js-module.ts";

const ASSERT_MODULES =
  /^(?:node:)?assert(?:\/strict)?$|^(?:uvu\/assert|chai|power-assert|@japa\/assert|should|must|expect)$/;
/** Methods of the argument of a test in ava, tap, tape, node:test and QUnit. */
const METHODS = new Set(
  "is,not,equal,equals,notEqual,deepEqual,notDeepEqual,deepEquals,looseEqual,deepLooseEqual,same,notSame,strictEqual,strictSame,deepStrictEqual,ok,notOk,assert,true,false,truthy,falsy,throws,throwsAsync,notThrows,notThrowsAsync,doesNotThrow,rejects,doesNotReject,match,notMatch,doesNotMatch,regex,notRegex,like,has,hasStrict,snapshot,matchSnapshot,error,ifError,type,expect,propEqual,step".split(
    ",",
  ),
);
const TEST_ARGUMENT = /^(?:[a-z]{0,2}t\d?|tap|test|tape|tt|ctx|context|qunit)$/i;
const EXISTENCE = new Set([
  "assert",
  "ok",
  "truthy",
  "true",
  "toBeDefined",
  "toBeTruthy",
  "exist",
  "exists",
  "isFunction",
  "isDefined",
  "isOk",
  "function",
]);
const SKIPPED = /^(?:x(?:it|test|describe)|skip|todo|fixme)$/;

export interface Assertions {
  isAssertion(call: t.CallExpression): boolean;
}

/** `isHelper`: names imported from another test file. */
export function assertionsOf(program: t.File["program"], isHelper: (name: string) => boolean): Assertions {
  const roots = new Set(["assert", "should"]);
  for (const [name, { specifier }] of bindingsOf(program.body)) if (ASSERT_MODULES.test(specifier)) roots.add(name);
  const helpers = new Set<string>();
  const isAssertion = (call: t.CallExpression) => {
    const chain = chainOf(call.callee);
    const [root = "", ...members] = chain;
    if (roots.has(root) || helpers.has(root)) return root !== "expect" || members.length > 0;
    if (root.startsWith("expect")) return root !== "expect" || members.length > 0;
    if (members.some((member) => member === "should" || /^(?:assert|expect)/.test(member))) return true;
    if (members.length > 0 && TEST_ARGUMENT.test(root) && METHODS.has(members[0])) return true;
    return (
      members.length === 0 && /^(?:assert|check|verify|compare|should|validate|matches)/i.test(root) && isHelper(root)
    );
  };
  // A local function that asserts is an assertion wherever it is called.
  for (const [name, body] of functionsOf(program)) {
    let isAsserting = false;
    walk(body, (node) => {
      if (node.type === "CallExpression" && isAssertion(node)) isAsserting = true;
    });
    if (isAsserting) helpers.add(name);
  }
  return { isAssertion };
}

function functionsOf(program: t.File["program"]): readonly (readonly [name: string, body: t.Node])[] {
  const found: (readonly [string, t.Node])[] = [];
  walk(program, (node) => {
    if (node.type === "FunctionDeclaration" && node.id !== null && node.id !== undefined)
      found.push([node.id.name, node.body]);
    if (node.type === "VariableDeclarator" && node.init !== null && node.init !== undefined && isFunction(node.init))
      for (const name of namesIn(node.id)) found.push([name, node.init.body]);
  });
  return found;
}

/** Whether an assertion only checks that a name exists, which an import already proves. */
export function isExistenceCheck(call: t.CallExpression): boolean {
  const chain = chainOf(call.callee);
  const asksForKind = call.arguments
    .concat(argumentsBefore(call.callee))
    .some((argument) => argument.type === "UnaryExpression" && argument.operator === "typeof");
  const isBare = [...call.arguments, ...argumentsBefore(call.callee)].every(
    (argument) =>
      argument.type === "Identifier" || argument.type === "MemberExpression" || argument.type === "StringLiteral",
  );
  return asksForKind || (isBare && EXISTENCE.has(chain.at(-1) ?? ""));
}

function argumentsBefore(callee: t.Node): t.CallExpression["arguments"] {
  if (callee.type === "CallExpression") return callee.arguments;
  return callee.type === "MemberExpression" ? argumentsBefore(callee.object) : [];
}

/** Whether a call declares a skipped test. */
export function isSkipped(call: t.CallExpression): boolean {
  return call.arguments.some(isFunction) && chainOf(call.callee).some((name) => SKIPPED.test(name));
}
