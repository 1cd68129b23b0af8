import { crc32 } from "node:zlib";
import type { ItemFields } from "../catalogue.ts";
import { hashContent, type LabelledTag } from "./content-hash.ts";
import { growingFloat64, growingUint32, type GrowableArray } from "./growable-array.ts";
import { itemText, itemTextOf, type ItemText } from "./item-json.ts";
import type { SectionArray, SnapshotWriter } from "./snapshot.ts";

const BLOCK = 1 << 18;
const MOST_BYTES = 3;

export interface ItemBytesCollector {
  /** @param stored the item's JSON by `JSON.stringify`, if available. */
  add(item: ItemFields, stored?: string): Promise<void>;
  finish(): Promise<readonly (readonly [string, SectionArray])[]>;
  contentHash(tags: readonly LabelledTag[]): string;
}

export function collectItemBytes(snapshot: SnapshotWriter): ItemBytesCollector {
  const content = hashContent();
  const offsets = growingFloat64();
  const summaryLengths = growingUint32();
  const checksums = growingUint32();
  let block = Buffer.allocUnsafeSlow(BLOCK);
  let filled = 0;
  const flush = (): Promise<void> => {
    const bytes = block.subarray(0, filled);
    block = Buffer.allocUnsafeSlow(BLOCK);
    filled = 0;
    return snapshot.append(bytes);
  };
  const write = ({ summary, rest }: ItemText): void => {
    const begin = filled;
    filled += block.write(summary, filled);
    offsets.push(snapshot.position + begin);
    summaryLengths.push(filled - begin);
    filled += block.write(rest, filled);
    const json = block.subarray(begin, filled);
    checksums.push(crc32(json));
    content.add(json);
  };

  return {
    async add(item, stored) {
      const text = stored === undefined ? itemText(item) : itemTextOf(item, stored);
      const most = (text.summary.length + text.rest.length) * MOST_BYTES;
      if (filled + most > block.length) await flush();
      if (most > block.length) block = Buffer.allocUnsafeSlow(most);
      write(text);
    },
    async finish() {
      await flush();
      offsets.push(snapshot.position);
      return [
        ["offsets", taken(offsets)],
        ["summaryLengths", taken(summaryLengths)],
        ["checksums", taken(checksums)],
      ];
    },
    contentHash: (tags) => content.finish(tags),
  };
}

function taken<Array extends SectionArray>(numbers: GrowableArray<Array>): Array {
  const whole = numbers.toArray();
  numbers.clear();
  return whole;
}
