/** Formats integers as a PostgreSQL array literal: for thousands, much cheaper than the driver, which quotes each. */
export function integerArray(numbers: Uint32Array | readonly number[]): string {
  return `{${numbers.join(",")}}`;
}
