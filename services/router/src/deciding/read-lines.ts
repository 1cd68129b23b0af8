/** Reads the lines of a file with their numbers, in bounded memory. */
import { createReadStream } from "node:fs";

export interface Line {
  /** From 1. */
  readonly number: number;
  /** Null for a line beyond the limit. */
  readonly text: string | null;
  /** Bytes of the file up to the end of this line, with its line break. */
  readonly end: number;
  /** False for a last line without a line break. */
  readonly isComplete: boolean;
}

const LINE_BREAK = 10;

export async function* readLines(file: string, maxBytes: number): AsyncGenerator<Line> {
  let parts: Buffer[] = [];
  let length = 0;
  let end = 0;
  let number = 0;
  const take = (isComplete: boolean): Line => {
    const text = length > maxBytes ? null : Buffer.concat(parts).toString("utf8");
    parts = [];
    length = 0;
    number += 1;
    return { number, text: number === 1 ? (text?.replace(/^\uFEFF/, "") ?? null) : text, end, isComplete };
  };
  const add = (part: Buffer) => {
    length += part.length;
    if (length <= maxBytes) parts.push(part);
  };
  for await (const chunk of createReadStream(file)) {
    const bytes: Buffer = chunk;
    let from = 0;
    for (let at = bytes.indexOf(LINE_BREAK); at >= 0; at = bytes.indexOf(LINE_BREAK, from)) {
      add(bytes.subarray(from, at));
      end += at + 1 - from;
      from = at + 1;
      yield take(true);
    }
    add(bytes.subarray(from));
    end += bytes.length - from;
  }
  if (length > 0) yield take(false);
}
