/**
 * Lists for `in (…)`. A statement is prepared for a number of places, and kept prepared: lists of any length would each leave a
 * statement of their own behind, hundreds of them with a thousand places. So a list is filled up, by its last value, to one of
 * few lengths; a value that is there twice finds what it finds once.
 */
const SHORT = 16;
const STRIDE = 256;

export function steadyList<Value>(values: readonly Value[]): readonly Value[] {
  const last = values.at(-1);
  if (last === undefined) return values;
  const length = values.length <= SHORT ? SHORT : Math.ceil(values.length / STRIDE) * STRIDE;
  return values.length === length ? values : [...values, ...Array<Value>(length - values.length).fill(last)];
}
