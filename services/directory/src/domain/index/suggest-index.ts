import type { StringTable } from "./string-table.ts";

/** Sections of a snapshot for suggestions; see `collectSuggestions` for positions and numbers. */
export interface SuggestIndex {
  readonly texts: StringTable;
  readonly kinds: Uint8Array;
  readonly counts: Uint32Array;
  readonly targets: Uint32Array;
  readonly numbers: Uint32Array;
  readonly positions: Uint32Array;
  readonly labels: StringTable;
  readonly slugs: StringTable;
  /** Per name, its items of each type. */
  readonly nameCounts: Uint32Array;
  readonly words: StringTable;
  readonly wordStarts: Uint32Array;
  readonly wordEntries: Uint32Array;
}
