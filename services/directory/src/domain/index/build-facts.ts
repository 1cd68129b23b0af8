import { ITEM_TYPES } from "@triptych/contracts";
import type { Commune, ItemFields } from "../catalogue.ts";
import { communeSlugOf, inseeOf, postalCodeOf, sourceSlugsOf } from "../filter-keys.ts";
import { DEPARTEMENTS, REGIONS } from "../reference.ts";
import { collectCommunes } from "./communes.ts";
import { DEPARTEMENT_NUMBERS, pairOf, REGION_NUMBERS, TYPE_NUMBERS } from "./index-views.ts";
import { invert, invertColumn, sortedIndexes, type Lists } from "./build-lists.ts";
import { buildGrid } from "./grid.ts";
import { growingFloat64, growingUint32, growingUint8, type GrowableArray } from "./growable-array.ts";
import type { SectionArray } from "./snapshot.ts";
import { buildStringTable, compareBytes, growingStringTable } from "./string-table.ts";

type Section = readonly [name: string, array: SectionArray];

export interface FactsCollector {
  add(item: ItemFields, fromVersion: number): void;
  /** @param order the rank of each id. */
  finish(order: Uint32Array): Generator<Section>;
}

export function collectFacts(): FactsCollector {
  const slugs = growingStringTable();
  let count = 0;
  const typeEnds = new Uint32Array(ITEM_TYPES.length);
  const columns = { type: growingUint8(), departement: growingUint8(), region: growingUint8() };
  const changed = growingUint32();
  const updated = growingFloat64();
  const lats = growingFloat64();
  const lons = growingFloat64();
  const tags = collectValues();
  const sources = collectValues();
  const communes = collectCommunes();
  const keys = { commune: collectKeys(), insee: collectKeys(), postal: collectKeys() };

  return {
    add(item, fromVersion) {
      slugs.add(item.slug);
      count++;
      const type = TYPE_NUMBERS.get(item.type) ?? 0;
      typeEnds.fill(count, type - 1);
      columns.type.push(type);
      columns.departement.push(DEPARTEMENT_NUMBERS.get(item.departement?.code ?? "") ?? 0);
      columns.region.push(REGION_NUMBERS.get(item.region?.code ?? "") ?? 0);
      changed.push(fromVersion);
      updated.push(Date.parse(item.updated_at));
      lats.push(item.location?.lat ?? NaN);
      lons.push(item.location?.lon ?? NaN);
      tags.add(item.tags);
      sources.add(sourceSlugsOf(item));
      communes.add(item);
      keys.commune.add(communeSlugOf(item));
      keys.insee.add(inseeOf(item));
      keys.postal.add(postalCodeOf(item));
    },

    *finish(order) {
      yield ["ranks", order];
      const table = slugs.finish();
      yield ["slugs", table.bytes];
      yield ["slugStarts", table.starts];
      yield ["typeEnds", typeEnds];
      const [typeOf, departementOf] = [byId(order, columns.type), byId(order, columns.departement)];
      yield* columnSections("type", typeOf, ITEM_TYPES.length);
      yield* columnSections("departement", departementOf, DEPARTEMENTS.length);
      yield* pairSections(departementOf, typeOf);
      yield* columnSections("region", byId(order, columns.region), REGIONS.length);
      yield* tagSections(tags, order);
      yield* keySections("source", sources.finish(order));
      for (const name of ["commune", "insee", "postal"] as const) yield* keySections(name, keys[name].finish(order));
      yield* communeSections(communes.finish());
      const grid = buildGrid(doublesById(order, lats), doublesById(order, lons));
      yield ["bands", grid.bands];
      yield ["pointIds", grid.ids];
      yield ["vectors", grid.vectors];
      yield ["points", grid.positions];
      yield ["changed", integersById(order, changed)];
      yield ["pointLats", grid.lats];
      yield ["pointLons", grid.lons];
      yield* updateSections(doublesById(order, updated));
    },
  };
}

/**
 * Indexes of the titles in order, ties by index. The contract's French collation; titles are compared nowhere else.
 */
export function titleOrder(titles: readonly string[]): Uint32Array {
  const { compare } = new Intl.Collator("fr", { sensitivity: "variant", numeric: true });
  return sortedIndexes(titles.length, (a, b) => compare(titles[a], titles[b]) || a - b);
}

interface ItemValues {
  /** In byte order. */
  readonly names: readonly string[];
  /** Positions in `names` of each id, at `itemStarts[id]` to `itemStarts[id + 1]`. */
  readonly itemStarts: Uint32Array;
  readonly itemValues: Uint32Array;
}

/** Any number of values per item. */
function collectValues() {
  const starts = growingUint32();
  const values = growingUint32();
  const names = numberNames();

  return {
    add(texts: readonly string[]): void {
      starts.push(values.length);
      for (const text of texts) values.push(names.numberOf(text));
    },

    finish(order: Uint32Array): ItemValues {
      const sorted = names.sorted();
      const itemStarts = new Uint32Array(order.length + 1);
      const itemValues = new Uint32Array(values.length);
      let filled = 0;
      for (const [id, rank] of order.entries()) {
        const end = rank + 1 < order.length ? starts.at(rank + 1) : values.length;
        for (let at = starts.at(rank); at < end; at++) itemValues[filled++] = sorted.positions[values.at(at)];
        itemStarts[id + 1] = filled;
      }
      starts.clear();
      values.clear();
      return { names: sorted.names, itemStarts, itemValues };
    },
  };
}

/** At most one value per item: a number less for each item than `collectValues`. */
function collectKeys() {
  const column = growingUint32();
  const names = numberNames();

  return {
    add: (text: string | null): void => column.push(text === null ? 0 : names.numberOf(text) + 1),

    finish(order: Uint32Array): KeyedLists {
      const sorted = names.sorted();
      const values = new Uint32Array(order.length);
      for (const [id, rank] of order.entries()) {
        const number = column.at(rank);
        values[id] = number === 0 ? 0 : sorted.positions[number - 1] + 1;
      }
      column.clear();
      return { names: sorted.names, lists: invertColumn(values, sorted.names.length) };
    },
  };
}

/** Provisional numbers in order of insertion, replaced by byte order at the end. */
function numberNames() {
  const numbers = new Map<string, number>();
  return {
    numberOf(name: string): number {
      let number = numbers.get(name);
      if (number === undefined) numbers.set(name, (number = numbers.size));
      return number;
    },
    sorted() {
      const names = [...numbers.keys()].sort(compareBytes);
      const positions = new Uint32Array(names.length);
      for (const [position, name] of names.entries()) positions[numbers.get(name) ?? 0] = position;
      return { names, positions };
    },
  };
}

function* tagSections(tags: ReturnType<typeof collectValues>, order: Uint32Array): Generator<Section> {
  const { names, itemStarts, itemValues } = tags.finish(order);
  const table = buildStringTable(names);
  const lists = invert(itemStarts, itemValues, names.length);
  yield ["tags", table.bytes];
  yield ["tagNames", table.starts];
  yield ["itemTagStarts", itemStarts];
  yield ["itemTags", itemValues];
  yield ["tagStarts", lists.starts];
  yield ["tagIds", lists.ids];
}

interface KeyedLists {
  readonly names: readonly string[];
  readonly lists: Lists;
}

function* keySections(name: string, found: KeyedLists | ItemValues): Generator<Section> {
  const lists = "lists" in found ? found.lists : invert(found.itemStarts, found.itemValues, found.names.length);
  const table = buildStringTable(found.names);
  yield [`${name}Keys`, table.bytes];
  yield [`${name}KeyStarts`, table.starts];
  yield [`${name}ListStarts`, lists.starts];
  yield [`${name}ListIds`, lists.ids];
}

/** Parallel to the keys of `commune`. */
function* communeSections(communes: readonly Commune[]): Generator<Section> {
  const labels = buildStringTable(communes.map(({ label }) => label));
  const codes = buildStringTable(communes.map(({ codes }) => codes.join(" ")));
  yield ["communeLabels", labels.bytes];
  yield ["communeLabelStarts", labels.starts];
  yield ["communeCodes", codes.bytes];
  yield ["communeCodeStarts", codes.starts];
}

function* columnSections(name: string, column: Uint8Array, valueCount: number): Generator<Section> {
  const lists = invertColumn(column, valueCount);
  yield [`${name}Column`, column];
  yield [`${name}Starts`, lists.starts];
  yield [`${name}Ids`, lists.ids];
}

/** The ids of each type in each département. */
function* pairSections(departements: Uint8Array, types: Uint8Array): Generator<Section> {
  const pairs = new Uint32Array(types.length);
  for (let id = 0; id < pairs.length; id++)
    if (departements[id] > 0) pairs[id] = pairOf(departements[id], types[id]) + 1;
  const lists = invertColumn(pairs, DEPARTEMENTS.length * ITEM_TYPES.length);
  yield ["departementTypeStarts", lists.starts];
  yield ["departementTypeIds", lists.ids];
}

/** Ids by time, then id; and the starts of groups of equal times, including the end. */
function* updateSections(times: Float64Array): Generator<Section> {
  const order = sortedIndexes(times.length, (a, b) => times[a] - times[b] || a - b);
  const groups = growingUint32();
  for (const [position, id] of order.entries()) {
    if (position === 0 || times[id] !== times[order[position - 1]]) groups.push(position);
  }
  groups.push(order.length);
  yield ["updateOrder", order];
  yield ["updateGroups", groups.toArray()];
}

function byId(order: Uint32Array, values: GrowableArray<Uint8Array>): Uint8Array {
  const column = new Uint8Array(order.length);
  for (const [id, rank] of order.entries()) column[id] = values.at(rank);
  values.clear();
  return column;
}

function integersById(order: Uint32Array, values: GrowableArray<Uint32Array>): Uint32Array {
  const column = new Uint32Array(order.length);
  for (const [id, rank] of order.entries()) column[id] = values.at(rank);
  values.clear();
  return column;
}

function doublesById(order: Uint32Array, values: GrowableArray<Float64Array>): Float64Array {
  const column = new Float64Array(order.length);
  for (const [id, rank] of order.entries()) column[id] = values.at(rank);
  values.clear();
  return column;
}
