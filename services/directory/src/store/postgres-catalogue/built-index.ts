import type { SectionArray } from "../../domain/index/snapshot.ts";
import type { StringTable } from "../../domain/index/string-table.ts";

export interface BuiltSections {
  bytes(name: string): Uint8Array;
  integers(name: string): Uint32Array;
  doubles(name: string): Float64Array;
  table(bytes: string, starts: string): StringTable;
}

export function builtSections(sections: Iterable<readonly [string, SectionArray]>): BuiltSections {
  const arrays = new Map(sections);
  const find = (name: string): SectionArray => {
    const array = arrays.get(name);
    if (array === undefined) throw new Error(`the index builder produced no section "${name}"`);
    return array;
  };
  const integers = (name: string): Uint32Array => {
    const array = find(name);
    if (!(array instanceof Uint32Array)) throw new TypeError(`section "${name}" is not a Uint32Array`);
    return array;
  };
  const bytes = (name: string): Uint8Array => {
    const array = find(name);
    if (!(array instanceof Uint8Array)) throw new TypeError(`section "${name}" is not a Uint8Array`);
    return array;
  };
  const doubles = (name: string): Float64Array => {
    const array = find(name);
    if (!(array instanceof Float64Array)) throw new TypeError(`section "${name}" is not a Float64Array`);
    return array;
  };
  return { bytes, integers, doubles, table: (text, starts) => ({ bytes: bytes(text), starts: integers(starts) }) };
}
