/**
 * Generates choices of sizes that the data lacks: adds functions of other requests, half of them similar to the right
 * one, so that large sets are realistically hard. Also generates yes/no choices. Everything is determined by hashes.
 */
import type { ChoiceRow } from "../src/options/train-options.ts";
import type { OptionEntry } from "../src/options/option.ts";
import { hashText } from "../src/text/rows.ts";
import type { Trunk } from "../src/trunk/trunk.ts";

const SEED = 0x6a09e667;
/** Sizes to generate equally often; the data contains enough smaller ones. */
const SIZES: readonly (readonly [least: number, most: number])[] = [
  [9, 16],
  [17, 64],
  [65, 255],
];
/** Similarity above which another function counts as the same. */
const SAME = 0.8;
/** Similarity to the request above which another function may fit. */
const MAY_FIT = 0.25;

export function resized(rows: readonly ChoiceRow[], trunk: Trunk): readonly ChoiceRow[] {
  const members = rows.flatMap(({ options, group }) => options.map((option) => ({ option, group })));
  const pool = [...new Map(members.map((member) => [member.option.label, member])).values()]
    .map(({ option, group }) => ({ option, group, vector: vectorOf(option), hash: hashText(option.label, SEED) }))
    .toSorted((a, b) => (a.option.label < b.option.label ? -1 : 1));
  return rows
    .filter((_, index) => index % 2 === 0)
    .map((row, index) => {
      const hash = hashText(row.text, SEED);
      const [least, most] = SIZES[index % SIZES.length];
      const size = least + (hash % (most - least + 1));
      const right = row.options.find(({ label }) => label === row.expected);
      const target = right === undefined ? trunk.encode(row.text).vector : vectorOf(right);
      const others = pool
        .filter(({ group }) => group !== row.group)
        .map((other) => ({ ...other, near: dot(other.vector, target), rank: Math.imul(other.hash ^ hash, 0x9e3779b1) }))
        .filter(({ near }) => near < (right === undefined ? MAY_FIT : SAME));
      const nearest = right === undefined ? [] : others.toSorted((a, b) => b.near - a.near).slice(0, size >> 1);
      const any = others.toSorted((a, b) => a.rank - b.rank).slice(0, size);
      const own = row.options.filter((option) => option !== right);
      const mixed = interleaved([own, ...[nearest, any].map((list) => list.map(({ option }) => option))]);
      const options = firstDistinct([...(right === undefined ? [] : [right]), ...mixed], size);
      return { ...row, options, use: "calibrate" };
    });

  function vectorOf({ label, description }: OptionEntry): Float64Array {
    return trunk.encode(`${label} ${description}`).vector;
  }
}

/**
 * Generates yes/no choices about whether a function fits: the right function for some requests, one of its alternatives
 * for the others.
 */
export function yesOrNo(rows: readonly ChoiceRow[]): readonly ChoiceRow[] {
  return rows.map((row) => {
    const wrong = row.options.filter(({ label }) => label !== row.expected);
    const right = row.options.find(({ label }) => label === row.expected);
    const candidate =
      right === undefined || (wrong.length > 0 && hashText(row.text, SEED) % 2 === 0) ? wrong[0] : right;
    const description = `${candidate.label.replaceAll(/[._]/g, " ")}: ${candidate.description}`;
    return { ...row, options: [entry("true", description), entry("false", "")], expected: String(candidate === right) };
  });
}

function entry(label: string, description: string): OptionEntry {
  return { label, description, parameters: [], examples: [] };
}

function interleaved<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list.slice(index, index + 1))).flat();
}

function firstDistinct(options: readonly OptionEntry[], size: number): OptionEntry[] {
  return [...new Map(options.toReversed().map((option) => [option.label, option])).values()]
    .toReversed()
    .slice(0, size);
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let d = 0; d < a.length; d++) sum += a[d] * b[d];
  return sum;
}
