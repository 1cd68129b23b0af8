import { ITEM_TYPES, type ItemType } from "@triptych/contracts";
import type { CatalogueMeta } from "../catalogue.ts";
import { DEPARTEMENTS, REGIONS } from "../reference.ts";
import type { Lists } from "./build-lists.ts";
import type { TermIndex } from "./build-term-sections.ts";
import type { Grid } from "./grid.ts";
import { sectionBytes, type SnapshotIndex } from "./snapshot.ts";
import type { SuggestIndex } from "./suggest-index.ts";
import { compareBytes, type StringTable } from "./string-table.ts";

/** One value per item (0 = none, else the value's number from 1), and the ids of each value. */
export interface Column extends Lists {
  readonly values: Uint8Array;
}

/** The ids of each key; keys in byte order. */
export interface KeyLists extends Lists {
  readonly keys: StringTable;
}

export interface IndexViews {
  readonly count: number;
  readonly meta: CatalogueMeta;
  readonly ranks: Uint32Array;
  /** By rank: offset of the JSON (one more than items), length of its summary part, CRC-32 of the whole. */
  readonly offsets: Float64Array;
  readonly summaryLengths: Uint32Array;
  readonly checksums: Uint32Array;
  /** By rank; sorted within each type. `typeEnds`: first rank after each type, types in byte order. */
  readonly slugs: StringTable;
  readonly typeEnds: Uint32Array;
  readonly type: Column;
  readonly departement: Column;
  readonly region: Column;
  /** Of each type in each département, at `pairOf`: filters that most queries have together. */
  readonly departementTypes: Lists;
  readonly tags: StringTable;
  readonly tagLists: Lists;
  readonly itemTagStarts: Uint32Array;
  readonly itemTags: Uint32Array;
  readonly commune: KeyLists;
  /** Parallel to the keys of `commune`. */
  readonly communeLabels: StringTable;
  readonly communeCodes: StringTable;
  readonly insee: KeyLists;
  readonly postalCodes: KeyLists;
  readonly source: KeyLists;
  readonly grid: Grid;
  /** Ids by update time, then id; and the starts of groups of equal times, including the end. */
  readonly updateOrder: Uint32Array;
  readonly updateGroups: Uint32Array;
  /** By id: the version in which the item was created or last changed. */
  readonly changed: Uint32Array;
  readonly termIndex: TermIndex;
  readonly suggest: SuggestIndex;
}

export function viewIndex(index: SnapshotIndex): IndexViews {
  const bytes = (name: string) => new Uint8Array(...sectionBytes(index, name));
  const integers = (name: string) => {
    const [buffer, offset, length] = sectionBytes(index, name);
    return new Uint32Array(buffer, offset, length / Uint32Array.BYTES_PER_ELEMENT);
  };
  const doubles = (name: string) => {
    const [buffer, offset, length] = sectionBytes(index, name);
    return new Float64Array(buffer, offset, length / Float64Array.BYTES_PER_ELEMENT);
  };
  const column = (name: string): Column => ({
    values: bytes(`${name}Column`),
    starts: integers(`${name}Starts`),
    ids: integers(`${name}Ids`),
  });
  return {
    count: index.header.itemCount,
    // Written by `buildIndex` and verified by the header's checksum.
    meta: index.header.meta as CatalogueMeta,
    ranks: integers("ranks"),
    offsets: doubles("offsets"),
    summaryLengths: integers("summaryLengths"),
    checksums: integers("checksums"),
    slugs: { bytes: bytes("slugs"), starts: integers("slugStarts") },
    typeEnds: integers("typeEnds"),
    type: column("type"),
    departement: column("departement"),
    region: column("region"),
    departementTypes: { starts: integers("departementTypeStarts"), ids: integers("departementTypeIds") },
    tags: { bytes: bytes("tags"), starts: integers("tagNames") },
    tagLists: { starts: integers("tagStarts"), ids: integers("tagIds") },
    itemTagStarts: integers("itemTagStarts"),
    itemTags: integers("itemTags"),
    ...viewKeys(bytes, integers),
    grid: {
      bands: integers("bands"),
      ids: integers("pointIds"),
      vectors: doubles("vectors"),
      positions: integers("points"),
      lats: integers("pointLats"),
      lons: integers("pointLons"),
    },
    updateOrder: integers("updateOrder"),
    updateGroups: integers("updateGroups"),
    changed: integers("changed"),
    suggest: {
      texts: { bytes: bytes("suggestTexts"), starts: integers("suggestTextStarts") },
      kinds: bytes("suggestKinds"),
      counts: integers("suggestCounts"),
      targets: integers("suggestTargets"),
      numbers: integers("suggestNumbers"),
      positions: integers("suggestPositions"),
      labels: { bytes: bytes("suggestLabels"), starts: integers("suggestLabelStarts") },
      slugs: { bytes: bytes("suggestSlugs"), starts: integers("suggestSlugStarts") },
      nameCounts: integers("suggestNameCounts"),
      words: { bytes: bytes("suggestWords"), starts: integers("suggestWordNames") },
      wordStarts: integers("suggestWordStarts"),
      wordEntries: integers("suggestWordEntries"),
    },
    termIndex: {
      terms: { bytes: bytes("terms"), starts: integers("termNames") },
      documents: integers("documents"),
      structured: integers("structured"),
      starts: integers("wordStarts"),
      ids: integers("wordIds"),
      impacts: bytes("wordImpacts"),
      columnOf: integers("columnOf"),
      columns: bytes("columns"),
      surfaces: { bytes: bytes("surfaces"), starts: integers("surfaceNames") },
      surfaceTerms: integers("surfaceTerms"),
      surfaceDocuments: integers("surfaceDocuments"),
      nameWords: integers("nameWords"),
      nameTerms: integers("nameTerms"),
      nameStarts: integers("nameStarts"),
    },
  };
}

type KeyViews = Pick<IndexViews, "commune" | "communeLabels" | "communeCodes" | "insee" | "postalCodes" | "source">;

function viewKeys(bytes: (name: string) => Uint8Array, integers: (name: string) => Uint32Array): KeyViews {
  const table = (name: string, starts: string): StringTable => ({ bytes: bytes(name), starts: integers(starts) });
  const keyLists = (name: string): KeyLists => ({
    keys: table(`${name}Keys`, `${name}KeyStarts`),
    starts: integers(`${name}ListStarts`),
    ids: integers(`${name}ListIds`),
  });
  return {
    commune: keyLists("commune"),
    communeLabels: table("communeLabels", "communeLabelStarts"),
    communeCodes: table("communeCodes", "communeCodeStarts"),
    insee: keyLists("insee"),
    postalCodes: keyLists("postal"),
    source: keyLists("source"),
  };
}

/** Column numbers of types, départements and régions: from 1, in list order. */
export const ITEM_TYPES_BY_BYTES: readonly ItemType[] = [...ITEM_TYPES].sort(compareBytes);
export const TYPE_NUMBERS = numbered(ITEM_TYPES_BY_BYTES);
export const DEPARTEMENT_NUMBERS = numbered(DEPARTEMENTS.map(({ code }) => code));
export const REGION_NUMBERS = numbered(REGIONS.map(({ code }) => code));

/** The list of `departementTypes`, by numbers of columns. */
export function pairOf(departement: number, type: number): number {
  return (departement - 1) * TYPE_NUMBERS.size + type - 1;
}

function numbered(values: readonly string[]): ReadonlyMap<string, number> {
  return new Map(values.map((value, position) => [value, position + 1]));
}
