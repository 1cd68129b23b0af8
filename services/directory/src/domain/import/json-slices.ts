/**
 * Cuts the elements out of one JSON array inside a byte stream, without holding more than one of them: how a GeoJSON file of any
 * size, even on a single line, is read in bounded memory. The array is the value of a top-level key, or the whole text. The
 * cutter only knows strings and brackets; `JSON.parse` judges each element. Works on UTF-8 bytes, where a quote, a bracket or a
 * backslash is never part of another letter.
 */
import { UnreadableFile } from "./table.ts";

export interface Slice {
  readonly text: string;
  /** Line on which the element begins. */
  readonly line: number;
}

/** Longest element in bytes; the outline of a country fits. */
const MAX_ELEMENT = 16 * 1024 * 1024;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NEWLINE = 0x0a;
const COLON = 0x3a;

/** Elements of the array under the top-level key `key`, or of a top-level array. Throws `UnreadableFile` where it is cut. */
export async function* jsonSlices(bytes: AsyncIterable<Uint8Array>, key: string): AsyncGenerator<readonly Slice[]> {
  const decoder = new TextDecoder();
  let depth = 0;
  let line = 1;
  let inString = false;
  let escaped = false;
  /** Text of the last string at depth 1, a key if a colon follows. */
  let word: number[] = [];
  let wanted = false;
  /** Depth of the array whose elements are cut, or 0 outside of it. */
  let arrayDepth = 0;
  let found = false;
  let element: { line: number; parts: Uint8Array[]; size: number } | null = null;

  for await (const chunk of bytes) {
    const slices: Slice[] = [];
    let start = element === null ? -1 : 0;
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index];
      if (byte === NEWLINE) line++;
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) inString = false;
        if (inString && depth === 1 && word.length < 64) word.push(byte);
        continue;
      }
      switch (byte) {
        case QUOTE:
          inString = true;
          if (depth === 1) word = [];
          break;
        case COLON:
          if (depth === 1) wanted = String.fromCharCode(...word) === key;
          break;
        case 0x7b: // {
        case 0x5b: // [
          depth++;
          if (arrayDepth === 0 && byte === 0x5b && (depth === 1 || (depth === 2 && wanted))) {
            arrayDepth = depth;
            found = true;
          } else if (element === null && arrayDepth > 0 && depth === arrayDepth + 1) {
            element = { line, parts: [], size: 0 };
            start = index;
          }
          break;
        case 0x7d: // }
        case 0x5d: // ]
          depth--;
          if (element !== null && depth === arrayDepth) {
            element.parts.push(chunk.subarray(start, index + 1));
            slices.push({ text: decoder.decode(Buffer.concat(element.parts)), line: element.line });
            element = null;
            start = -1;
          }
          if (depth < arrayDepth) arrayDepth = 0;
          if (depth < 0) throw new UnreadableFile(`line ${line}: a bracket closes that was never opened`);
          break;
        case 0x2c: // ,
          if (depth === 1) wanted = false;
          break;
      }
    }
    if (element !== null) {
      const tail = chunk.slice(start);
      element.parts.push(tail);
      element.size += tail.length;
      if (element.size > MAX_ELEMENT) {
        throw new UnreadableFile(`line ${element.line}: this element is longer than ${MAX_ELEMENT / 1024 / 1024} MiB`);
      }
    }
    if (slices.length > 0) yield slices;
  }
  if (depth > 0) throw new UnreadableFile(`line ${line}: the file ends in the middle of its JSON`);
  if (!found) throw new UnreadableFile(`the file holds no list "${key}"`);
}
