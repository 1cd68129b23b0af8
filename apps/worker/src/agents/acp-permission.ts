/** Answers an agent's permission requests: read-only roles may read, writing roles may write inside the tree. */
import { isAbsolute, relative, resolve, sep } from "node:path";
import type { AgentTask } from "./agent.ts";
import { listAt, textAt, type Json } from "../process/json-access.ts";

/** Kinds of tools that change nothing. A command is not one of them, because it may do anything. */
const READING: ReadonlySet<string> = new Set(["read", "search", "think"]);

export function answerPermission(params: unknown, { mode, tree }: Pick<AgentTask, "mode" | "tree">): Json {
  const isAllowed = mode === "rw" ? pathsIn(params).every((path) => isInside(tree, path)) : READING.has(kindOf(params));
  const options = listAt(params, "options");
  for (const kind of isAllowed ? ["allow_once", "allow_always"] : ["reject_once", "reject_always"]) {
    const option = options.find((candidate) => textAt(candidate, "kind") === kind);
    if (option !== undefined) return { outcome: { outcome: "selected", optionId: textAt(option, "optionId") } };
  }
  return { outcome: { outcome: "cancelled" } };
}

function kindOf(params: unknown): string {
  return textAt(params, "toolCall", "kind");
}

function pathsIn(params: unknown): readonly string[] {
  const named = [...listAt(params, "toolCall", "locations"), ...listAt(params, "toolCall", "content")];
  return named.map((entry) => textAt(entry, "path")).filter(Boolean);
}

function isInside(tree: string, path: string): boolean {
  const way = relative(tree, resolve(tree, path));
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
