/**
 * The toolbook: families of similar tools with descriptions, parameters and requests, including requests that no tool
 * can serve. Trains the trunk and the options scorer.
 */
import { readdirSync, readFileSync } from "node:fs";
import type { Language } from "./phrasings.ts";

export interface ToolFamily {
  readonly family: string;
  readonly tools: readonly Tool[];
  /** Requests close to the topic of the family that none of its tools can serve. */
  readonly nothing: Readonly<Record<Language, readonly string[]>>;
}

export interface Tool extends Readonly<Record<Language, readonly string[]>> {
  readonly name: string;
  readonly description: string;
  readonly parameters: readonly string[];
  readonly description_fr: string;
}

const FOLDER = new URL("../toolbook/", import.meta.url);

/** Sorts the families by file name, so that the result does not depend on the file system. */
export function readToolbook(): readonly ToolFamily[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith(".json"))
    .toSorted()
    .map((name) => JSON.parse(readFileSync(new URL(name, FOLDER), "utf8")) as ToolFamily);
}
