/** The end of a long output: the last bytes in whole characters, and whether it is truncated. */
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
      // Joins at twice the limit: each byte is copied once on average, not once per chunk.
      if (bytes > 2 * limit) shorten();
    },
    text() {
      if (bytes > limit) shorten();
      const remaining = Buffer.concat(chunks).toString("utf8");
      return droppedBytes === 0 ? remaining : `[${droppedBytes} earlier bytes truncated]\n${remaining}`;
    },
  };

  function shorten(): void {
    const all = Buffer.concat(chunks);
    let from = all.length - limit;
    // 10xxxxxx is a continuation byte: start at the next character.
    while (from < all.length && (all[from] & 0xc0) === 0x80) from++;
    droppedBytes += from;
    chunks = [all.subarray(from)];
    bytes = all.length - from;
  }
}
