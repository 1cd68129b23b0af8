/**
 * A kind is a combination of type, département and région. There are a few hundred, whatever the number of items. So
 * filters on the three become a set of kinds with a precomputed total, tested with one small number per item.
 */
import { typesOf, type Filters } from "../../domain/catalogue.ts";
import { DEPARTEMENT_NUMBERS, REGION_NUMBERS, TYPE_NUMBERS } from "../../domain/index/area-numbers.ts";

/** Numbers as in the index columns, 0 = none. */
export interface FacetKey {
  readonly type: number;
  readonly departement: number;
  readonly region: number;
  readonly count: number;
}

export function collectKinds() {
  const numbers = new Map<number, number>();
  const kinds: { type: number; departement: number; region: number; count: number }[] = [];
  return {
    kinds,
    /** Counts an item and returns the number of its kind. */
    add(type: number, departement: number, region: number): number {
      const key = (type << 16) | (departement << 8) | region;
      let number = numbers.get(key);
      if (number === undefined) {
        number = kinds.push({ type, departement, region, count: 0 }) - 1;
        numbers.set(key, number);
      }
      kinds[number].count++;
      return number;
    },
  };
}

export interface FacetKeyFilter {
  readonly numbers: readonly number[];
  readonly size: number;
}

/** Null without a filter on type, département or région. */
export function toFacetKeyFilter(kinds: readonly FacetKey[], filters: Filters): FacetKeyFilter | null {
  const { departement, departements, regions } = filters;
  const conditions: ((kind: FacetKey) => boolean)[] = [];
  const demand = (
    codes: readonly string[] | null,
    numbersByCode: ReadonlyMap<string, number>,
    of: (kind: FacetKey) => number,
  ) => {
    if (codes === null) return;
    const accepted = new Set(codes.flatMap((code) => numbersByCode.get(code) ?? []));
    conditions.push((kind) => accepted.has(of(kind)));
  };
  const anyOf = (codes: readonly string[]) => (codes.length === 0 ? null : codes);
  demand(typesOf(filters), TYPE_NUMBERS, ({ type }) => type);
  demand(departement === null ? null : [departement], DEPARTEMENT_NUMBERS, (kind) => kind.departement);
  demand(anyOf(departements), DEPARTEMENT_NUMBERS, (kind) => kind.departement);
  demand(anyOf(regions), REGION_NUMBERS, ({ region }) => region);
  if (conditions.length === 0) return null;

  const numbers = [...kinds.keys()].filter((number) => conditions.every((condition) => condition(kinds[number])));
  return { numbers, size: numbers.reduce((sum, number) => sum + kinds[number].count, 0) };
}
