import { ITEM_TYPES } from "@triptych/contracts";
import type { ItemFields } from "../catalogue.ts";
import { DEPARTEMENTS, REGIONS } from "../reference.ts";
import { DEPARTEMENT_NUMBERS, REGION_NUMBERS, TYPE_NUMBERS } from "./index-views.ts";
import { invert, invertColumn } from "./build-lists.ts";
import { buildGrid } from "./grid.ts";
import { growingFloat64, growingUint32, growingUint8, type GrowableArray } from "./growable-array.ts";
import type { SectionArray } from "./snapshot.ts";
import { buildStringTable, compareBytes, growingStringTable } from "./string-table.ts";

type Section = readonly [name: string, array: SectionArray];

export interface FactsCollector {
  add(item: ItemFields, fromVersion: number): void;
  /** Rank of each id. Call once: it releases the titles. */
  titleOrder(): Uint32Array;
  finish(order: Uint32Array): Generator<Section>;
}

export function collectFacts(): FactsCollector {
  let titles: string[] = [];
  const slugs = growingStringTable();
  let count = 0;
  const typeEnds = new Uint32Array(ITEM_TYPES.length);
  const columns = { type: growingUint8(), departement: growingUint8(), region: growingUint8() };
  const changed = growingUint32();
  const updated = growingFloat64();
  const lats = growingFloat64();
  const lons = growingFloat64();
  const tags = collectTags();

  return {
    add(item, fromVersion) {
      titles.push(item.title);
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
    },

    titleOrder() {
      const order = titleOrder(titles);
      titles = [];
      return order;
    },

    *finish(order) {
      yield ["ranks", order];
      const table = slugs.finish();
      yield ["slugs", table.bytes];
      yield ["slugStarts", table.starts];
      yield ["typeEnds", typeEnds];
      yield* columnSections("type", byId(order, columns.type), ITEM_TYPES.length);
      yield* columnSections("departement", byId(order, columns.departement), DEPARTEMENTS.length);
      yield* columnSections("region", byId(order, columns.region), REGIONS.length);
      yield* tags.finish(order);
      const grid = buildGrid(doublesById(order, lats), doublesById(order, lons));
      yield ["bands", grid.bands];
      yield ["pointIds", grid.ids];
      yield ["vectors", grid.vectors];
      yield ["points", grid.positions];
      yield ["changed", integersById(order, changed)];
      yield* updateSections(doublesById(order, updated));
    },
  };
}

/**
 * Indexes of the titles in order, ties by index. The contract's French collation; titles are compared nowhere else.
 */
export function titleOrder(titles: readonly string[]): Uint32Array {
  const { compare } = new Intl.Collator("fr", { sensitivity: "variant", numeric: true });
  return Uint32Array.from(titles.keys()).sort((a, b) => compare(titles[a], titles[b]) || a - b);
}

function collectTags() {
  const starts = growingUint32();
  const values = growingUint32();
  // Provisional numbers in order of insertion, replaced by byte order at the end.
  const numbers = new Map<string, number>();

  return {
    add(tags: readonly string[]): void {
      starts.push(values.length);
      for (const tag of tags) {
        let number = numbers.get(tag);
        if (number === undefined) numbers.set(tag, (number = numbers.size));
        values.push(number);
      }
    },

    *finish(order: Uint32Array): Generator<Section> {
      const names = [...numbers.keys()].sort(compareBytes);
      const positions = new Uint32Array(names.length);
      for (const [position, name] of names.entries()) positions[numbers.get(name) ?? 0] = position;

      const itemStarts = new Uint32Array(order.length + 1);
      const itemTags = new Uint32Array(values.length);
      let filled = 0;
      for (const [id, rank] of order.entries()) {
        const end = rank + 1 < order.length ? starts.at(rank + 1) : values.length;
        for (let at = starts.at(rank); at < end; at++) itemTags[filled++] = positions[values.at(at)];
        itemStarts[id + 1] = filled;
      }
      starts.clear();
      values.clear();
      const table = buildStringTable(names);
      const lists = invert(itemStarts, itemTags, names.length);
      yield ["tags", table.bytes];
      yield ["tagNames", table.starts];
      yield ["itemTagStarts", itemStarts];
      yield ["itemTags", itemTags];
      yield ["tagStarts", lists.starts];
      yield ["tagIds", lists.ids];
    },
  };
}

function* columnSections(name: string, column: Uint8Array, valueCount: number): Generator<Section> {
  const lists = invertColumn(column, valueCount);
  yield [`${name}Column`, column];
  yield [`${name}Starts`, lists.starts];
  yield [`${name}Ids`, lists.ids];
}

/** Ids by time, then id; and the starts of groups of equal times, including the end. */
function* updateSections(times: Float64Array): Generator<Section> {
  const order = Uint32Array.from(times.keys()).sort((a, b) => times[a] - times[b] || a - b);
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
