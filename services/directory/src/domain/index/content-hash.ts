/** Hash of a data set's content: everything that clients can see, and nothing else. */
import { createHash } from "node:crypto";
import { compareBytes } from "./string-table.ts";

export interface LabelledTag {
  readonly slug: string;
  readonly label: string;
}

export interface ContentHash {
  add(json: Uint8Array): void;
  /** SHA-256 in hex; `tags` are those of items, in any order. */
  finish(tags: readonly LabelledTag[]): string;
}

export function hashContent(): ContentHash {
  const hash = createHash("sha256");
  return {
    add(json) {
      hash.update(json).update("\n");
    },
    finish(tags) {
      for (const { slug, label } of tags.toSorted((a, b) => compareBytes(a.slug, b.slug)))
        hash.update(`${slug}\t${label}\n`);
      return hash.digest("hex");
    },
  };
}
