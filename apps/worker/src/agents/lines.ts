/** From the pieces of a pipe to lines. A line that is longer than a model could mean is dropped, and that is said. */
import { StringDecoder } from "node:string_decoder";

export interface Lines {
  push(chunk: Buffer): void;
  /** What is left without an end of line is a line, too. */
  end(): void;
}

/** A tool's whole output may stand in one line. */
const LONGEST = 16 * 1024 * 1024;

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
    if (length <= LONGEST) return void pieces.push(piece);
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
