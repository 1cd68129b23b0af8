/**
 * What the panel has not taken yet and memory should not keep: lines of one run in a file, in order. Written and read in one go and
 * without waiting: it is used where the panel is slower than the agents or away, and order is what counts. A line is not synced to
 * the disk: it outlives this process, not a power cut, which takes the run with it anyway.
 */
import { closeSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";

export interface Spool {
  readonly bytes: number;
  readonly isEmpty: boolean;
  append(line: string): void;
  /** The next lines, of so many bytes at most, but one at least. */
  take(bytes: number): readonly string[];
  /** What is taken from now on stays in the file all the same: it is complete, and the next process reads it again. */
  hold(): void;
  /** Keeps only these of the lines that were not taken yet. */
  filter(isRetained: (line: string) => boolean): void;
  close(): void;
}

const LINE_END = 10;
const PIECE = 256 * 1024;

/** What the file holds already is not taken yet, and is held; half a line at its end, of a process that was cut off, is none. */
export function openSpool(path: string): Spool {
  const file = openSync(path, "a+", 0o600);
  let read = 0;
  let end = endOfLines(file);
  ftruncateSync(file, end);
  let isPinned = end > 0;

  return {
    take,
    append,
    get bytes() {
      return end - read;
    },
    get isEmpty() {
      return end === read;
    },
    hold() {
      isPinned = true;
    },
    filter(isRetained) {
      for (const line of take(end - read).filter(isRetained)) append(line);
    },
    close: () => closeSync(file),
  };

  function append(line: string): void {
    end += writeSync(file, `${line}\n`);
  }

  function take(bytes: number): readonly string[] {
    let size = Math.min(bytes, end - read);
    for (;;) {
      const piece = Buffer.alloc(size);
      readSync(file, piece, 0, size, read);
      const last = piece.lastIndexOf(LINE_END);
      if (last >= 0) return taken(piece.subarray(0, last + 1));
      if (read + size >= end) return [];
      // A line that is longer than what was asked for.
      size = Math.min(size * 2, end - read);
    }
  }

  function taken(piece: Buffer): readonly string[] {
    read += piece.length;
    // All of it is read: the file begins anew, so it never grows over what is waiting.
    if (read === end && !isPinned) {
      ftruncateSync(file);
      read = 0;
      end = 0;
    }
    return piece.toString("utf8", 0, piece.length - 1).split("\n");
  }
}

function endOfLines(file: number): number {
  const piece = Buffer.alloc(PIECE);
  let end = 0;
  for (let at = 0, got = -1; got !== 0; at += got) {
    got = readSync(file, piece, 0, PIECE, at);
    const last = piece.subarray(0, got).lastIndexOf(LINE_END);
    if (last >= 0) end = at + last + 1;
  }
  return end;
}
