/** Integers as PostgreSQL writes an array: for thousands of them much cheaper than the driver's way, which quotes each. */
export function integerArray(numbers: Uint32Array | readonly number[]): string {
  return `{${numbers.join(",")}}`;
}
