import { compareBytes } from "./string-table.ts";

export type Names = ReturnType<typeof countNames>;

/** Numbers names in order of insertion, and counts their items. */
export function countNames() {
  const numbers = new Map<string, number>();
  const documents: number[] = [];
  // The last item with the name: detects a first occurrence without clearing between items.
  const seen: number[] = [];
  return {
    documents,

    numberOf(name: string): number {
      const existing = numbers.get(name);
      if (existing !== undefined) return existing;
      // A copy: a part of a string keeps the whole string in memory.
      numbers.set(Buffer.from(name).toString(), documents.length);
      seen.push(-1);
      return documents.push(0) - 1;
    },

    see(number: number, item: number): boolean {
      if (seen[number] === item) return false;
      seen[number] = item;
      documents[number]++;
      return true;
    },

    /** Names in byte order, the number of each, and the position of each number. */
    sorted(keep: (name: string) => boolean = () => true) {
      const texts = [...numbers.keys()];
      const order = [...texts.keys()].filter((number) => keep(texts[number]));
      order.sort((a, b) => compareBytes(texts[a], texts[b]));
      const positions = new Uint32Array(texts.length);
      for (const [position, number] of order.entries()) positions[number] = position;
      return { names: order.map((number) => texts[number]), numbers: order, positions };
    },
  };
}
