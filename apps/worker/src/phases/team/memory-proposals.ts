/**
 * Memories that an agent proposes: fenced blocks named `memory` in its messages, each a JSON object. They have no effect until a person
 * accepts them.
 */
import { MEMORY_KINDS, MEMORY_TEXT_MAX, type MemoryKind } from "@triptych/contracts";
import { at, readObject, textAt } from "../../process/json-access.ts";

export interface Proposed {
  readonly text: string;
  readonly kind: MemoryKind;
  /** A glob of the paths that it concerns. */
  readonly scope?: string;
}

/** Proposals of this run so far. */
export type ProposedSoFar = Set<string>;

const PROPOSALS_MAX = 5;
const SCOPE_LENGTH_MAX = 200;
const BLOCK = /^(`{3,})memory[ \t]*\n([\s\S]*?)\n\1[ \t]*$/gm;

export function memoriesIn(message: string, soFar: ProposedSoFar): readonly Proposed[] {
  const found: Proposed[] = [];
  for (const [, , body = ""] of message.matchAll(BLOCK)) {
    const proposed = proposalOf(body);
    if (proposed === undefined || soFar.size >= PROPOSALS_MAX) continue;
    const key = proposed.text.toLowerCase().replaceAll(/\s+/g, " ");
    if (soFar.has(key)) continue;
    soFar.add(key);
    found.push(proposed);
  }
  return found;
}

function proposalOf(body: string): Proposed | undefined {
  const value = readObject(body.trim());
  const text = textAt(value, "text").trim();
  if (text === "" || text.length > MEMORY_TEXT_MAX) return undefined;
  const kind = MEMORY_KINDS.find((candidate) => candidate === at(value, "kind")) ?? "convention";
  const scope = textAt(value, "scope");
  return { text, kind, ...(scope !== "" && scope.length <= SCOPE_LENGTH_MAX && { scope }) };
}
