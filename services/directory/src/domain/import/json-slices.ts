/**
 * Cuts the elements of one JSON array out of a byte stream: a GeoJSON file of any size, even on one line, is read in
 * bounded memory. Tracks only strings and brackets; `JSON.parse` validates each element.
 */
import { UnreadableFile } from "./table.ts";

export interface Slice {
  readonly text: string;
  readonly line: number;
}

/** Maximum element size in bytes; the outline of a country fits. */
const MAX_ELEMENT = 16 * 1024 * 1024;
const MAX_KEY = 64;
const NEWLINE = 0x0a;
const QUOTE = 0x22;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const MAX_LISTED = 5;

/**
 * Elements of the array under these keys, or of a top-level array; the keys after the array's lead into each element.
 * Throws `UnreadableFile` if truncated.
 */
export async function* jsonSlices(
  bytes: AsyncIterable<Uint8Array>,
  keys: readonly string[],
): AsyncGenerator<readonly Slice[]> {
  const cutter = createCutter(keys);
  for await (const chunk of bytes) {
    const slices = cutter.feed(chunk);
    if (slices.length > 0) yield slices;
  }
  cutter.end();
}

interface Cutter {
  feed(chunk: Uint8Array): readonly Slice[];
  end(): void;
}

/** A started element: its line, its bytes from earlier chunks, and its start in this chunk. */
interface OpenElement {
  readonly line: number;
  readonly parts: Uint8Array[];
  size: number;
  from: number;
}

function createCutter(path: readonly string[]): Cutter {
  const decoder = new TextDecoder();
  let line = 1;
  let depth = 0;
  let text: "outside" | "inside" | "escaped" = "outside";
  /** The last string outside the array. */
  let keyBytes: number[] = [];
  const tracker = createPathTracker(path);
  let arrayDepth = 0;
  let wasFound = false;
  let element: OpenElement | null = null;

  const readText = (byte: number): void => {
    if (text === "escaped") text = "inside";
    else if (byte === BACKSLASH) text = "escaped";
    else if (byte === QUOTE) text = "outside";
    if (text !== "outside" && arrayDepth === 0 && keyBytes.length < MAX_KEY) keyBytes.push(byte);
  };
  const open = (isArray: boolean, index: number): void => {
    depth++;
    if (arrayDepth > 0) {
      if (element === null && depth === arrayDepth + 1) element = { line, parts: [], size: 0, from: index };
      return;
    }
    if (!tracker.opens(depth, isArray)) return;
    arrayDepth = depth;
    wasFound = true;
  };
  const close = (chunk: Uint8Array, index: number): Slice | null => {
    depth--;
    if (depth < 0) throw new UnreadableFile(`line ${line}: unexpected closing bracket`);
    if (depth < arrayDepth) arrayDepth = 0;
    if (element === null || depth !== arrayDepth) return null;
    element.parts.push(chunk.subarray(element.from, index + 1));
    const slice = { text: decoder.decode(Buffer.concat(element.parts)), line: element.line };
    element = null;
    return slice;
  };
  /**
   * Saves the rest of the chunk for the started element; copied, because the chunk may be a view of a larger buffer.
   */
  const keepRest = (current: OpenElement, chunk: Uint8Array): void => {
    const rest = chunk.slice(current.from);
    current.parts.push(rest);
    current.size += rest.length;
    current.from = 0;
    if (current.size <= MAX_ELEMENT) return;
    throw new UnreadableFile(`line ${current.line}: this element is longer than ${MAX_ELEMENT / 1024 / 1024} MiB`);
  };

  return {
    feed(chunk) {
      const slices: Slice[] = [];
      for (let index = 0; index < chunk.length; index++) {
        const byte = chunk[index];
        if (byte === NEWLINE) line++;
        if (text !== "outside") {
          readText(byte);
        } else if (byte === QUOTE) {
          text = "inside";
          if (arrayDepth === 0) keyBytes = [];
        } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
          open(byte === OPEN_ARRAY, index);
        } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
          const slice = close(chunk, index);
          if (slice !== null) slices.push(slice);
        } else if (byte === COLON && arrayDepth === 0) {
          tracker.key(depth, keyBytes);
        }
      }
      if (element !== null) keepRest(element, chunk);
      return slices;
    },
    end() {
      if (depth > 0) throw new UnreadableFile(`line ${line}: the JSON is truncated`);
      if (!wasFound) throw tracker.notFound();
    },
  };
}

interface PathTracker {
  /** Whether the bracket to this depth opens the requested array. */
  opens(depth: number, isArray: boolean): boolean;
  key(depth: number, bytes: readonly number[]): void;
  notFound(): UnreadableFile;
}

/** Follows the keys that lead to each depth, and remembers other arrays for the error. */
function createPathTracker(path: readonly string[]): PathTracker {
  const keys: string[] = [];
  const otherArrays = new Set<string>();
  return {
    opens(depth, isArray) {
      const here = keys.slice(0, depth - 1);
      keys[depth - 1] = "";
      if (!isArray) return false;
      if (depth === 1 || (here.length <= path.length && here.every((key, at) => key === path[at]))) return true;
      if (!here.includes("") && otherArrays.size < MAX_LISTED) otherArrays.add(here.join("."));
      return false;
    },
    key(depth, bytes) {
      keys[depth - 1] = Buffer.from(bytes).toString("utf8");
    },
    notFound() {
      const others = otherArrays.size === 0 ? "" : `; it has: ${[...otherArrays].join(", ")} (choose one with --path)`;
      return new UnreadableFile(`the file has no array "${path.join(".")}"${others}`);
    },
  };
}
