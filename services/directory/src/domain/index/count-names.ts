import { createStringInterner } from "../string-interner.ts";
import { compareBytes } from "./string-table.ts";

export type Names = ReturnType<typeof countNames>;

/** Numbers names in order of insertion, and counts their items. */
export function countNames() {
  const names = createStringInterner();
  const documents: number[] = [];
  // The last item with the name: detects a first occurrence without clearing between items.
  const seen: number[] = [];
  return {
    documents,
    numberOf: names.numberOf,
    numberOfBytes: names.numberOfBytes,
    nameAt: names.textAt,

    see(number: number, item: number): boolean {
      while (number >= seen.length) {
        seen.push(-1);
        documents.push(0);
      }
      if (seen[number] === item) return false;
      seen[number] = item;
      documents[number]++;
      return true;
    },

    /** Names in byte order, the number of each, and the position of each number. */
    sorted(keep: (name: string) => boolean = () => true) {
      const texts = Array.from({ length: names.size }, (_, number) => names.textAt(number));
      const order = [...texts.keys()].filter((number) => documents[number] > 0 && keep(texts[number]));
      order.sort((a, b) => compareBytes(texts[a], texts[b]));
      const positions = new Uint32Array(texts.length);
      for (const [position, number] of order.entries()) positions[number] = position;
      return { names: order.map((number) => texts[number]), numbers: order, positions };
    },
  };
}
