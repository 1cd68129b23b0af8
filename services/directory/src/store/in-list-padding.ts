/**
 * Pads lists for `in (…)` to a few lengths by repeating the last value. Statements are prepared and cached per number
 * of parameters: arbitrary lengths would leave hundreds of large statements in the cache.
 */
const SHORT = 16;
const STRIDE = 256;

export function padInList<Value>(values: readonly Value[]): readonly Value[] {
  const last = values.at(-1);
  if (last === undefined) return values;
  const length = values.length <= SHORT ? SHORT : Math.ceil(values.length / STRIDE) * STRIDE;
  return values.length === length ? values : [...values, ...Array<Value>(length - values.length).fill(last)];
}
