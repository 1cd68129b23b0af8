/** The end of a long output: the last bytes, whole characters, and whether something before them is missing. */
export interface Tail {
  push(chunk: Buffer): void;
  text(): string;
}

export function createTail(limit: number): Tail {
  let chunks: Buffer[] = [];
  let bytes = 0;
  let droppedBytes = 0;

  return {
    push(chunk) {
      chunks.push(chunk);
      bytes += chunk.length;
      // Twice the limit before joining: each byte is copied once on average, not once a chunk.
      if (bytes > 2 * limit) shorten();
    },
    text() {
      if (bytes > limit) shorten();
      const remaining = Buffer.concat(chunks).toString("utf8");
      return droppedBytes === 0 ? remaining : `[${droppedBytes} bytes before this were cut]\n${remaining}`;
    },
  };

  function shorten(): void {
    const all = Buffer.concat(chunks);
    let from = all.length - limit;
    // 10xxxxxx is the inside of a character: begin at the next one.
    while (from < all.length && (all[from] & 0xc0) === 0x80) from++;
    droppedBytes += from;
    chunks = [all.subarray(from)];
    bytes = all.length - from;
  }
}
