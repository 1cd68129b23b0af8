/**
 * A file queue for events of one run. Synchronous I/O keeps the order; it runs only while the panel is slow or away. No fsync: the file
 * survives this process, and a power failure ends the run anyway.
 */
import { closeSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";

export interface Spool {
  readonly bytes: number;
  readonly isEmpty: boolean;
  append(line: string): void;
  /** The next lines, up to this many bytes, but at least one. */
  take(bytes: number): readonly string[];
  /** Stops truncating: the file stays complete for the next process. */
  hold(): void;
  /** Filters the lines not yet taken. */
  filter(isRetained: (line: string) => boolean): void;
  close(): void;
}

const LINE_END = 10;
const PIECE = 256 * 1024;

/** Lines already in the file count as waiting; an incomplete last line is dropped. */
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
      size = Math.min(size * 2, end - read);
    }
  }

  function taken(piece: Buffer): readonly string[] {
    read += piece.length;
    // All of it is read: truncate, so that the file does not outgrow its backlog.
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
