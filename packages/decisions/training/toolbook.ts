/**
 * The team's toolbook: families of tools that lie close together, each tool with its description, its parameters and what people say
 * when they want it. The trunk learns from it which requests belong to which description; the options scorer learns to choose
 * within a family, and from what no tool of a family can do, to say that none fits.
 */
import { readdirSync, readFileSync } from "node:fs";
import type { Language } from "./phrasings.ts";

export interface ToolFamily {
  readonly family: string;
  readonly tools: readonly Tool[];
  /** Requests near the family's topic that none of its tools can serve. */
  readonly nothing: Readonly<Record<Language, readonly string[]>>;
}

export interface Tool extends Readonly<Record<Language, readonly string[]>> {
  readonly name: string;
  readonly description: string;
  readonly parameters: readonly string[];
  readonly description_fr: string;
}

const FOLDER = new URL("../toolbook/", import.meta.url);

/** The families by file name: the order does not depend on the file system. */
export function readToolbook(): readonly ToolFamily[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith(".json"))
    .toSorted()
    .map((name) => JSON.parse(readFileSync(new URL(name, FOLDER), "utf8")) as ToolFamily);
}
