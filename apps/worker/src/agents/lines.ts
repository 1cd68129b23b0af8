/** Splits the chunks of a pipe into lines. An oversized line is dropped and reported. */
import { StringDecoder } from "node:string_decoder";

export interface Lines {
  push(chunk: Buffer): void;
  /** Passes on an unfinished last line. */
  end(): void;
}

/** Large, because the whole output of a tool may be a single line. */
const LINE_LENGTH_MAX = 16 * 1024 * 1024;

export function createLines(onLine: (line: string) => void, onDropped: () => void): Lines {
  const decoder = new StringDecoder("utf8");
  let pieces: string[] = [];
  let length = 0;
  let isDropping = false;

  return {
    push: (chunk) => take(decoder.write(chunk)),
    end() {
      take(decoder.end());
      finish();
    },
  };

  function take(text: string): void {
    let from = 0;
    for (let to = text.indexOf("\n"); to !== -1; to = text.indexOf("\n", from)) {
      add(text.slice(from, to));
      finish();
      from = to + 1;
    }
    add(text.slice(from));
  }

  function add(piece: string): void {
    if (piece === "" || isDropping) return;
    length += piece.length;
    if (length <= LINE_LENGTH_MAX) return void pieces.push(piece);
    isDropping = true;
    pieces = [];
    onDropped();
  }

  function finish(): void {
    const line = pieces.join("").trim();
    pieces = [];
    length = 0;
    isDropping = false;
    if (line !== "") onLine(line);
  }
}
